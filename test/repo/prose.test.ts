// Plain English: the words of an old dialect do not come back. What is left of them stands in words_left.json, a list
// that only shrinks: `bun run readme` lowers it.
import { expect, test } from 'bun:test'
import {
  type Counts,
  proseFiles,
  wordCounts,
  wordsIn,
  wordsLeftFile,
} from '../support/repo/prose.ts'
import { read } from './sources.ts'

const left = JSON.parse(read(wordsLeftFile)) as Counts

test('no file has more of the unused words than the list says', () => {
  const files = proseFiles()
  expect(files.length).toBeGreaterThan(300)
  const more = Object.entries(wordCounts(files)).filter(
    ([path, count]) => count > (left[path] ?? 0),
  )
  expect(more).toEqual([])
})

test('the list holds what is left and no more (bun run readme lowers it)', () => {
  const counts = wordCounts()
  expect(Object.entries(left).filter(([path, count]) => count > (counts[path] ?? 0))).toEqual([])
})

test('the documentation has none of them', () => {
  expect(Object.keys(left).filter(path => !/^(src|sql\/(?!README)|workers)/.test(path))).toEqual([])
})

test('the check finds a word across lines, in either case, and as a whole', () => {
  expect(wordsIn('Whoever reads')).toEqual(['whoever'])
  expect(wordsIn('// in place\n// of a row')).toEqual(['in place of'])
  expect(wordsIn('-- in\n-- place of a row, told')).toEqual(['in place of', 'told'])
  expect(wordsIn('besides, retold, in_place_of')).toEqual([])
})
