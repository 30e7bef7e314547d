// No file needs itself: neither by what it imports when it is loaded or later, nor by types. Two files that need one another
// can be understood, moved and tested only together. The same holds for folders.
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { partOf, type Source, sources } from './sources.ts'

// Imports and re-exports end in `from '…'`; a file may also be imported for its effects, or when it is first needed.
const relative = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g

const importsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(relative)].map(([, specifier = '']) => join(dirname(path), specifier))

type Imports = ReadonlyMap<string, readonly string[]>

const byFile = (files: readonly Source[]): Imports =>
  new Map(files.map(file => [file.path, importsOf(file)]))

const byFolder = (files: readonly Source[]): Imports =>
  new Map(
    [...Map.groupBy(files, ({ path }) => partOf(path))].map(([part, own]) => [
      part,
      own
        .flatMap(importsOf)
        .map(partOf)
        .filter(other => other !== part),
    ]),
  )

/** One way round for each cycle: from the first back to it. */
function cyclesOf(imports: Imports): string[] {
  const done = new Set<string>()
  const cycles: string[] = []
  const follow = (path: string, way: string[]) => {
    const at = way.indexOf(path)
    if (at >= 0) cycles.push([...way.slice(at), path].join(' → '))
    if (at >= 0 || done.has(path)) return
    for (const next of imports.get(path) ?? []) follow(next, [...way, path])
    done.add(path)
  }
  for (const path of imports.keys()) follow(path, [])
  return cycles
}

test('no file imports itself, through however many others', () => {
  expect(sources.flatMap(importsOf).length).toBeGreaterThan(1_000)
  expect(cyclesOf(byFile(sources))).toEqual([])
})

test('no folder does', () => {
  expect(byFolder(sources).get('worker')).toContain('delivery')
  expect(byFolder(sources).get('delivery')).toContain('feed')
  expect(cyclesOf(byFolder(sources))).toEqual([])
})

test('the check itself finds a cycle of any length and of every kind of import', () => {
  const file = (path: string, text: string) => ({ path: `src/${path}.ts`, text })
  const files = [
    file('a', "import { b } from './b/c.ts'"),
    file('b/c', "import {\n  type D,\n} from '../d.ts'\nimport '../e.ts'"),
    file('d', "export const later = () => import('./a.ts')"),
    file('e', "export type { F } from './f.ts'"),
    file('f', "import './f.ts'"),
    file('g', "import { a } from './a.ts'\nimport x from 'x'"),
  ]
  expect(cyclesOf(byFile(files))).toEqual([
    'src/a.ts → src/b/c.ts → src/d.ts → src/a.ts',
    'src/f.ts → src/f.ts',
  ])
  expect(
    cyclesOf(
      byFolder([
        file('a/b', "import type { C } from '../c/d.ts'"),
        file('c/e', "import '../a/f.ts'"),
      ]),
    ),
  ).toEqual(['a → c → a'])
})
