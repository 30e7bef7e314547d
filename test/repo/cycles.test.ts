// No file needs itself: neither by what it imports when it is loaded or later, nor by types. Two files that need one another
// can be understood, moved and tested only together.
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { type Source, sources } from './sources.ts'

// Imports and re-exports end in `from '…'`; a file may also be imported for its effects, or when it is first needed.
const relative = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g

const importsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(relative)].map(([, specifier = '']) => join(dirname(path), specifier))

/** One way round for each cycle: the files from the first back to it. */
export function cyclesOf(files: readonly Source[]): string[] {
  const imports = new Map(files.map(file => [file.path, importsOf(file)]))
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
  expect(cyclesOf(sources)).toEqual([])
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
  expect(cyclesOf(files)).toEqual([
    'src/a.ts → src/b/c.ts → src/d.ts → src/a.ts',
    'src/f.ts → src/f.ts',
  ])
})
