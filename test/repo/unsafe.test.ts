// Statements live in .sql files. A text goes to the database as it is only in src/db, which reads those files.
import { expect, test } from 'bun:test'
import { sources } from './sources.ts'

const outsideDb = sources.filter(({ path }) => !path.startsWith('src/db/'))

test('.unsafe( is called in src/db alone', () => {
  expect(
    outsideDb.filter(({ text }) => /\.unsafe\s*\(/.test(text)).map(({ path }) => path),
  ).toEqual([])
  const inside = sources.filter(
    ({ path, text }) => path.startsWith('src/db/') && text.includes('.unsafe('),
  )
  expect(inside.length).toBeGreaterThan(0)
})

// The embedded server is given its database before anybody can connect to it.
const statementExceptions = ['src/embedded/init.ts']

test('no file outside src/db has a statement in its code', () => {
  const statement =
    /(["'`])\s*(select\s+.+\s+from|insert\s+into|update\s+\w+\s+set|delete\s+from|(create|alter|drop|truncate)\s+(table|database|function|role))\b/is
  const found = outsideDb.filter(({ text }) => statement.test(text))
  expect(found.map(({ path }) => path)).toEqual(statementExceptions)
})

test('no text is run as code', () => {
  const evaluating = /\beval\s*\(|new Function\s*\(|node:vm/
  expect(sources.filter(({ text }) => evaluating.test(text)).map(({ path }) => path)).toEqual([])
})
