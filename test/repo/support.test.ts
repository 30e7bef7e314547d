// Test support by kind: a folder for each, and what one test file alone uses stands next to that test.
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { filesIn, type Source } from './sources.ts'

const support = filesIn('test/support')
const files = [...filesIn('test'), ...filesIn('bench'), ...filesIn('scripts')]

const relative = /['"](\.\.?\/[^'"]+\.ts)['"]/g

const importedBy = ({ path, text }: Source): string[] =>
  [...text.matchAll(relative)].map(match => join(dirname(path), match[1] ?? ''))

const importersOf = (path: string): string[] =>
  files.filter(file => importedBy(file).includes(path)).map(file => file.path)

test('outside the folders stand only what starts a run and what waits', () => {
  const loose = support.map(({ path }) => path).filter(path => path.split('/').length === 3)
  expect(loose).toEqual(['test/support/preload.ts', 'test/support/until.ts'])
})

test('no file there has one test file as its only importer', () => {
  const alone = support
    .map(({ path }) => ({ path, importers: importersOf(path) }))
    .filter(({ importers }) => importers.length === 1 && importers[0]?.endsWith('.test.ts'))
  expect(alone).toEqual([])
})
