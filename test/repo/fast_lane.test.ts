// bun run test:fast leaves out what it says, and nothing that is gone; so for what a whole run begins with.
import { expect, test } from 'bun:test'
import { longestFirst, longFiles } from '../support/repo/long_files.ts'
import { filesIn } from './sources.ts'

const lane = ['unit', 'sql', 'rest'].flatMap(folder => filesIn(`test/${folder}`, '.test.ts'))

test('every file that the fast lane leaves out exists in one of its folders', () => {
  const paths = lane.map(({ path }) => path)
  expect(Object.keys(longFiles).filter(path => !paths.includes(path))).toEqual([])
})

test('it keeps two of three files', () => {
  expect(Object.keys(longFiles).length).toBeLessThan(lane.length / 3)
})

test('every file that a run begins with exists, once', () => {
  const paths = filesIn('test', '.test.ts').map(({ path }) => path)
  expect(longestFirst.filter(path => !paths.includes(path))).toEqual([])
  expect(new Set(longestFirst).size).toBe(longestFirst.length)
})
