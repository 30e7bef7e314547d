// Migrations that a released version brought: sql/migrations/released.sha256, in the form of sha256sum.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'

const dir = join(import.meta.dir, '../../../sql/migrations')
export const releasedPath = join(dir, 'released.sha256')

export const readReleased = (): string =>
  existsSync(releasedPath) ? readFileSync(releasedPath, 'utf8') : ''

/** Texts of the migrations on disk, by name. */
export const migrationFiles = (): Record<string, string> =>
  Object.fromEntries(
    [...new Glob('*.sql').scanSync(dir)]
      .sort()
      .map(name => [name, readFileSync(join(dir, name), 'utf8')]),
  )

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** What the release of these migrations writes. */
export const releasedList = (files: Record<string, string>): string =>
  Object.entries(files)
    .map(([name, text]) => `${hashOf(text)}  ${name}\n`)
    .join('')

const entriesOf = (released: string) =>
  released
    .split('\n')
    .filter(line => line !== '')
    .map(line => line.split('  ') as [hash: string, name: string])

/** What is wrong: a released migration that is gone or changed, a new one that would come before one. */
export function changedHistory(released: string, files: Record<string, string>): string[] {
  const entries = entriesOf(released)
  const names = entries.map(([, name]) => name)
  const last = names.toSorted().at(-1) ?? ''
  const changed = entries
    .filter(([hash, name]) => files[name] === undefined || hashOf(files[name]) !== hash)
    .map(([, name]) => `${name} was released and must not change`)
  const late = Object.keys(files)
    .filter(name => !names.includes(name) && name.slice(0, 4) <= last.slice(0, 4))
    .map(name => `${name} must have a number above ${last}`)
  return [...changed, ...late]
}
