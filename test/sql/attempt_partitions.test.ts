// The days of hook_attempts: who is reading may not make recording wait, and a clock that was wrong may not stop them.
import { expect, test } from 'bun:test'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { until } from '../support/until.ts'

const database = useDatabase()

const days = async () =>
  (
    await database.sql`
      select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'hook_attempts'::regclass order by name`
  ).map(({ name }) => name)

const attempt = (cursor: number, startedAt: string) =>
  database.sql`
    insert into hook_attempts (no, cursor, fence, started_at, duration_ms, attempt, outcome)
    values (1, ${cursor}, 1, ${startedAt}, 1, 1, 'd')`

test('while a dump reads the attempts, recording goes on when the next day is made', async () => {
  const { sql, url } = database
  const dump = oneConnection(url)
  const maker = oneConnection(url)
  await dump`begin`
  await dump`lock table hook_attempts in access share mode`
  const making = maker`select make_attempt_partitions('2031-05-01')`.then(
    () => 'made',
    () => 'refused',
  )
  let longest = 0
  let made: string | undefined
  void making.then(outcome => {
    made = outcome
  })
  await until(async () => {
    const since = performance.now()
    await sql.begin(async recording => {
      await recording`set local lock_timeout = '5s'`
      await recording`
        insert into hook_attempts (no, cursor, fence, started_at, duration_ms, attempt, outcome)
        values (1, 1, 1, clock_timestamp(), 1, 1, 'd')`
    })
    longest = Math.max(longest, performance.now() - since)
    return made !== undefined
  }, 10_000)
  expect(longest).toBeLessThan(2_000)
  expect(made).toBe('made')
  // The day waits, not who records.
  expect(await days()).not.toContain('hook_attempts_20310502')
  await dump`commit`
  await maker`select make_attempt_partitions('2031-05-01')`
  expect(await days()).toContain('hook_attempts_20310502')
  await Promise.all([dump.end(), maker.end()])
})

test('a day of which attempts are stored already, because a clock was ahead, is made all the same', async () => {
  const { sql } = database
  await attempt(1, '2032-06-02T11:00:00Z')
  await attempt(2, '2032-06-09T11:00:00Z')
  await sql`select make_attempt_partitions('2032-06-01')`
  expect(await days()).toContain('hook_attempts_20320602')
  const rows = await sql`
    select cursor::integer, tableoid::regclass::text as place from hook_attempts
    where started_at > '2032-06-01' order by cursor`
  expect([...rows]).toEqual([
    { cursor: 1, place: 'hook_attempts_20320602' },
    { cursor: 2, place: 'hook_attempts_other' },
  ])
})

test('a retry that a clock which was ahead put off for years is due, and no other', async () => {
  const { sql } = database
  await sql`
    insert into hook_retries (no, cursor, due_at)
    values (1, 1, now() + interval '10 years'), (1, 2, now() + interval '28 hours')`
  await sql`select prune_attempts(interval '30 days', now())`
  const due = await sql`
    select cursor::integer as cursor, due_at <= now() as is_due from hook_retries where no = 1 order by cursor`
  expect([...due]).toEqual([
    { cursor: 1, is_due: true },
    { cursor: 2, is_due: false },
  ])
})
