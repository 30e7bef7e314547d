// The chart's hours are the attempts' hours, however often and however late somebody looks.
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { listAttemptHours } from '../../src/operations/overview.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'

const test_ = useDatabase()

const attemptAt = (started_at: string, error_class: string | null = null) =>
  factory.attempt(test_.sql, { started_at, error_class, status: error_class ? 500 : 200 })

const at = (time: string) => new Date(`2026-05-04T${time}Z`)

test('every hour of the last day, with what came in it; what comes meanwhile is counted', async () => {
  const database = openDatabase(test_.sql, queries)
  const look = async (time: string) => {
    const hours = await listAttemptHours(database, at(time))
    expect(hours).toHaveLength(24)
    return hours
      .filter(({ accepted, failed }) => accepted + failed > 0)
      .map(({ hour, accepted, failed }) => [hour.toISOString().slice(8, 13), accepted, failed])
  }
  expect(await look('12:30:00')).toEqual([])
  await attemptAt('2026-05-03T12:59:59Z')
  await attemptAt('2026-05-03T13:00:00Z', 'timeout')
  await attemptAt('2026-05-04T12:29:30Z')
  await attemptAt('2026-05-04T12:30:00Z', 'status')
  // Older than settled, it was counted as nothing; it is what nobody may rely on.
  expect(await look('12:30:01')).toEqual([['04T12', 1, 1]])
  const fresh = openDatabase(test_.sql, queries)
  const hours = await listAttemptHours(fresh, at('12:31:00'))
  expect([hours[0]?.failed, hours[0]?.accepted, hours[23]?.accepted]).toEqual([1, 0, 1])
  expect(hours.map(({ hour }) => hour.getTime())).toEqual(
    Array.from({ length: 24 }, (_, n) => at('12:00:00').getTime() - (23 - n) * 3_600_000),
  )
  await attemptAt('2026-05-04T12:30:30Z')
  await attemptAt('2026-05-04T12:58:00Z')
  await attemptAt('2026-05-04T13:01:00Z', 'dns')
  expect(await look('13:05:00')).toEqual([
    ['04T12', 3, 1],
    ['04T13', 0, 1],
  ])
})
