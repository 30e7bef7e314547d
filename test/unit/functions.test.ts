// In which order files of functions are applied, and when one counts as changed.
import { expect, test } from 'bun:test'
import { neededBy, readFunctions } from '../../src/db/schema_files.ts'

const needing = (...paths: string[]) => `-- Why.\n--\n-- @needs ${paths.join(', ')}\n\nselect 1;\n`
const alone = '-- Why.\n\nselect 1;\n'

const texts = { 'a/last': needing('b/middle'), 'b/middle': needing('c/first'), 'c/first': alone }
const pathsOf = (files: { path: string }[]) => files.map(({ path }) => path)
const hashesOf = (given: Record<string, string>) =>
  Object.fromEntries(readFunctions(given).map(({ path, sha256 }) => [path, sha256]))

test('a file comes after those it needs, whatever they are called', () => {
  expect(pathsOf(readFunctions(texts))).toEqual(['c/first', 'b/middle', 'a/last'])
  expect(pathsOf(readFunctions({ ...texts, 'a/first': alone }))).toEqual([
    'c/first',
    'b/middle',
    'a/last',
    'a/first',
  ])
})

test('a migration gets the files it needs and what those need, and no other', () => {
  const files = readFunctions({ ...texts, 'd/other': alone })
  expect(pathsOf(neededBy(needing('b/middle'), files))).toEqual(['c/first', 'b/middle'])
  expect(neededBy(alone, files)).toEqual([])
})

test('a file has changed when it has, or one that it needs', () => {
  const before = hashesOf(texts)
  const after = hashesOf({ ...texts, 'b/middle': `${texts['b/middle']}select 2;\n` })
  expect(after['c/first']).toBe(before['c/first'] ?? '')
  expect(after['b/middle']).not.toBe(before['b/middle'] ?? '')
  expect(after['a/last']).not.toBe(before['a/last'] ?? '')
})

test('a file that does not exist and a circle are reported by their names', () => {
  expect(() => readFunctions({ a: needing('b') })).toThrow('a.sql needs b, which is no file')
  expect(() => readFunctions({ a: needing('b'), b: needing('a') })).toThrow(
    'these need each other: a, b, a',
  )
  expect(() => neededBy(needing('x'), [])).toThrow('a migration needs x, which is no file')
})

test('only the head is read', () => {
  expect(pathsOf(readFunctions({ a: `${alone}-- @needs b\n`, b: alone }))).toEqual(['a', 'b'])
})
