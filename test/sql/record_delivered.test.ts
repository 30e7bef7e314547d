// Recording batches that were delivered at the first try: what most batches are.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { type AttemptRecord, attemptRecord, recordAttempts } from '../support/delivery/recording.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)

const delivered = (attempts: readonly AttemptRecord[]) => {
  const column = <Name extends keyof AttemptRecord>(name: Name) => attempts.map(one => one[name])
  return database().rows('recordDelivered', {
    nos: column('no'),
    cursors: column('cursor'),
    fences: column('fence'),
    started_at: column('started_at'),
    duration_ms: column('duration_ms'),
    statuses: column('status'),
    excerpts: column('excerpt'),
  })
}

const kept = () => test_.sql`
  select to_jsonb(hook_attempts)::text as row from hook_attempts order by no, cursor, started_at`

const batch = async (subscriptions: readonly { id: string }[]) => {
  const positions = await Promise.all(
    subscriptions.map(({ id }) => factory.position(test_.sql, id)),
  )
  return positions.flatMap(({ no, fence }) =>
    [1, 2].map(cursor => attemptRecord({ no, fence, cursor }, { excerpt: 'ok', status: 204 })),
  )
}

test('the shorter statement leaves what the other one does', async () => {
  const attempts = await batch([await factory.hook(test_.sql), await factory.hook(test_.sql)])
  await delivered(attempts)
  const short = await kept()
  expect(short).toHaveLength(4)
  await test_.sql`delete from hook_attempts`
  await recordAttempts(test_.sql, attempts)
  expect(await kept()).toEqual(short)
})

test('recorded twice it is refused as a whole', async () => {
  const attempts = await batch([await factory.hook(test_.sql)])
  await delivered(attempts.slice(0, 1))
  const before = await kept()
  await expect(delivered(attempts)).rejects.toMatchObject({ code: '23505' })
  expect(await kept()).toEqual(before)
  expect(
    await database().rows('listRecordedAttempts', {
      nos: attempts.map(({ no }) => no),
      cursors: attempts.map(({ cursor }) => cursor),
      started_at: attempts.map(({ started_at }) => started_at),
    }),
  ).toEqual([{ no: attempts[0]?.no ?? 0, cursor: 1 }])
})

test('of events that were erased meanwhile nothing is kept', async () => {
  const attempts = await batch([await factory.hook(test_.sql)])
  await test_.sql`delete from hook_attempts`
  await test_.sql`insert into erased_events (cursor) values (2)`
  await delivered(attempts)
  await test_.sql`delete from erased_events`
  expect((await kept()).map(({ row }) => JSON.parse(row).cursor)).toEqual([1])
})

test('a clock that is off by weeks hinders nothing', async () => {
  const attempts = await batch([await factory.hook(test_.sql)])
  await test_.sql`delete from hook_attempts`
  const started_at = new Date(Date.now() - 40 * 86_400_000)
  await delivered(attempts.map(attempt => ({ ...attempt, started_at })))
  expect(await kept()).toHaveLength(2)
})
