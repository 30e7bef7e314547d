// A database under a deadline: every statement is given up, whichever form its answer has.
import { expect, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { openDeadline, withDeadline } from '../../src/db/deadline.ts'
import { TimeoutError } from '../../src/lib/timeout.ts'

const methods = ['listJson', 'getJson', 'list', 'bytes', 'rows'] as const

/** Whose methods all answer so, and how often its pool was opened anew. */
function open(answer: (...args: unknown[]) => Promise<unknown>) {
  const pool = { renewed: 0 }
  const deadline = openDeadline(20, () => {
    pool.renewed += 1
  })
  const answers = Object.fromEntries(methods.map(method => [method, answer]))
  return { pool, database: withDeadline(answers as unknown as Database, deadline) }
}

test.each(methods)('%s is given up, and the pool opened anew', async method => {
  const { pool, database } = open(() => new Promise(() => {}))
  await expect(database[method]('listHooks', {})).rejects.toBeInstanceOf(TimeoutError)
  expect(pool.renewed).toBe(1)
})

test.each(methods)('%s answers as before within the limit', async method => {
  const { pool, database } = open(async (...args) => args)
  expect(await database[method]('listHooks', {})).toEqual(['listHooks', {}] as never)
  expect(pool.renewed).toBe(0)
})
