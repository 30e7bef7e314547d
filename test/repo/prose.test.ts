// Plain English: the words of an old dialect do not come back.
import { expect, test } from 'bun:test'
import { filesWithUnusedWords, proseFiles, wordsIn } from './prose.ts'

test('no page, comment or text has one of the unused words', () => {
  const files = proseFiles()
  expect(files.length).toBeGreaterThan(300)
  expect(filesWithUnusedWords(files)).toEqual({})
})

test('the check finds a word across lines, in either case, and as a whole', () => {
  expect(wordsIn('Whoever reads')).toEqual(['whoever'])
  expect(wordsIn('// in place\n// of a row')).toEqual(['in place of'])
  expect(wordsIn('-- in\n-- place of a row, told')).toEqual(['in place of', 'told'])
  expect(wordsIn('besides, retold, in_place_of')).toEqual([])
})
