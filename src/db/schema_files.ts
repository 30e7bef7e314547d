// The files that make a schema: migrations, in order, and functions, which are applied whenever they change. A head names the
// files that must be there before it (@needs).
import { createHash } from 'node:crypto'
import { headOf, readDirectives } from './query_file.ts'
import { functionTexts, migrationTexts } from './schema.generated.ts'

export type Migration = { number: number; name: string; text: string; sha256: string }

export const migrations: Migration[] = Object.entries(migrationTexts).map(([name, text]) => ({
  number: Number(name.slice(0, 4)),
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
}))

/** The schema version this program needs. */
export const schemaVersion: number = migrations.at(-1)?.number ?? 0

export type FunctionFile = {
  /** Path below sql/functions without the ending, such as `identity/kontakt_key`. */
  path: string
  text: string
  needs: string[]
  /** Of the text, and of what it needs: it is applied again when either changes. */
  sha256: string
}

const needsOf = (path: string, text: string): string[] =>
  readDirectives(path, headOf(text), ['needs']).needs

/** Each after the files it needs. Throws for one that does not exist, and for files that need each other. */
export function readFunctions(texts: Record<string, string> = functionTexts): FunctionFile[] {
  const read = new Map<string, FunctionFile>()
  const visit = (path: string, above: string[]): FunctionFile => {
    const known = read.get(path)
    if (known) return known
    const text = texts[path]
    if (text === undefined) throw new Error(`${above.at(-1)}.sql needs ${path}, which is no file`)
    const chain = [...above, path]
    if (above.includes(path)) throw new Error(`these need each other: ${chain.join(', ')}`)
    const needs = needsOf(path, text)
    const hash = createHash('sha256').update(text)
    for (const needed of needs) hash.update(visit(needed, chain).sha256)
    const file = { path, text, needs, sha256: hash.digest('hex') }
    read.set(path, file)
    return file
  }
  for (const path of Object.keys(texts)) visit(path, [])
  return [...read.values()]
}

/** The files that a migration needs, and what those need, in order. */
export function neededBy(migration: string, functions: FunctionFile[]): FunctionFile[] {
  const wanted = new Set(needsOf('a migration', migration))
  for (const path of wanted) {
    const file = functions.find(each => each.path === path)
    if (!file) throw new Error(`a migration needs ${path}, which is no file`)
    for (const needed of file.needs) wanted.add(needed)
  }
  return functions.filter(({ path }) => wanted.has(path))
}
