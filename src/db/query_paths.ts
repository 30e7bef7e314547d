// Which files below a directory are queries of the service; the others have a manifest or a command of their own.
import { readdirSync } from 'node:fs'

const ending = '.sql'
const apart = /^(migrations|functions|demo)\/|^schema$|^roles\/(grant|prepare)_/

/** Paths of all .sql files below `dir` without the ending, sorted. */
export const listSqlPaths = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith(ending))
    .map(path => path.slice(0, -ending.length).replaceAll('\\', '/'))
    .sort()

/** The same of the queries among them. */
export const listQueryPaths = (dir: string): string[] =>
  listSqlPaths(dir).filter(path => !apart.test(path))
