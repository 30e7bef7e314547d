// What listen prints of an answer.
import { expect, test } from 'bun:test'
import { lineOf } from '../../src/cli/listen.ts'

const answered = (status: number, excerpt: string) =>
  lineOf('lead.created', 'cursor 7', { status, excerpt, ms: 3 })

test('the line end of a body is not printed, and nothing of an empty one', () => {
  expect(answered(500, 'hallo\r\n')).toBe('lead.created  cursor 7  500 in 3 ms: hallo')
  expect(answered(500, 'eins\nzwei')).toEndWith(': eins\ufffdzwei')
  expect(answered(401, '\n')).toBe('lead.created  cursor 7  401 in 3 ms')
  expect(answered(204, 'ok')).toBe('lead.created  cursor 7  204 in 3 ms')
})
