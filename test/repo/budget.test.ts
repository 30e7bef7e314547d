// A look at the size of the documents and of what looks after them, in lines. More is allowed with a reason, and a new number.
import { expect, test } from 'bun:test'
import { filesIn, read } from './sources.ts'

const linesOf = (text: string) => text.split('\n').length - 1

test.each([
  ['README.md', 150],
  ['CHANGELOG.md', 60],
])('%s has at most %d lines', (path, most) => {
  expect(linesOf(read(path))).toBeLessThanOrEqual(most)
})

test.each([
  ['docs', '', 3_200],
  ['test/repo', '.ts', 600],
])('%s has no more lines than it may', (folder, ending, most) => {
  const lines = filesIn(folder, ending).reduce((sum, { text }) => sum + linesOf(text), 0)
  expect(lines).toBeLessThanOrEqual(most)
})

test('a decision has at most 40 lines', () => {
  const long = filesIn('docs/decisions', '.md').filter(({ text }) => linesOf(text) > 40)
  expect(long.map(({ path }) => path)).toEqual([])
})
