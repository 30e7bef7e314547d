// Cursors and numbers of a query: plain decimal, and exact in JSON.
import { expect, test } from 'bun:test'
import { readPlainInteger } from '../../src/operations/parameters.ts'

test.each(['0', '17', '9007199254740991'])('%s is read', text => {
  expect(readPlainInteger(text)).toBe(Number(text))
})

test.each(['', '-1', '01', '1.0', '1e3', '0x10', ' 1', '9007199254740992', '9999999999999999'])(
  '"%s" is not',
  text => {
    expect(readPlainInteger(text)).toBeUndefined()
  },
)
