// Where transactions can be prepared no writer wakes the sequencer, because one that notified could not be; the sequencer
// looks by itself.
import { expect, test } from 'bun:test'
import { connect } from '../../src/db/connect.ts'
import { startWorker } from '../../src/worker/start.ts'
import { oneConnection } from '../support/database/database.ts'
import { feedReader, flawless, judgeRace, race, readDuring } from '../support/feed/feed_reader.ts'
import { openTestSequencing } from '../support/feed/sequencing.ts'
import { quietLog, useServiceOn } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { until } from '../support/until.ts'
import { useTwoPhaseDatabase } from './two_phase_database.ts'

const database = useTwoPhaseDatabase()
const api = useServiceOn(database, () => ({ url: database.url }))

async function preparedAndCommitted(name: string) {
  const writer = oneConnection(database.url)
  await writer`begin`
  await writer`insert into leads (name) values (${name})`
  await writer.unsafe(`prepare transaction '${name}'`)
  await writer.unsafe(`commit prepared '${name}'`)
  await writer.end()
}

test('on a fresh database a transaction can be prepared', async () => {
  await preparedAndCommitted('fresh')
})

test('a sequencer that wants to be woken is refused, and one finds the flag unset', async () => {
  const sequencing = openTestSequencing(database.sql)
  expect((await sequencing.look(true)).sleeps).toBe(false)
  await database.sql`select setval('feed_sleep', 1)`
  expect((await sequencing.look(true)).sleeps).toBe(false)
  const [flag] = await database.sql`select last_value::integer as asleep from feed_sleep`
  expect(flag?.asleep).toBe(0)
})

test('a worker that polls gives a prepared transaction its cursor', async () => {
  const worker = await startWorker(testConfig(), database.url, quietLog())
  try {
    await preparedAndCommitted('prepared')
    await until(async () => {
      const rows = await database.sql`select from feed_events where data ->> 'name' = 'prepared'`
      return rows.length === 1
    })
  } finally {
    await worker.stop()
  }
})

test('a foreign transaction and a prepared one left open delay nothing', async () => {
  const worker = await startWorker(testConfig(), database.url, quietLog())
  const pool = (connectionsMax: number) =>
    connect({
      url: database.url,
      connectionsMax,
      applicationName: 'race',
      statementTimeoutMs: 20_000,
    })
  const [foreign, writers] = [pool(1), pool(16)]
  await foreign`begin`
  await foreign`insert into leads (name) values ('held')`
  await foreign`prepare transaction 'left open'`
  try {
    const reader = feedReader(api)
    const racing = race(writers, { writers: 16, durationMs: 800, held: 0, rolledBack: 0.05 })
    const committed = await readDuring(api.sql, [reader], racing)
    expect(judgeRace(committed, reader.seen)).toEqual(
      flawless([...committed.values()].flat().length),
    )
    expect(reader.seen.some(event => event.data.name === 'held')).toBe(false)
    await foreign.unsafe(`commit prepared 'left open'`)
    await until(async () => (await reader.readAll()).some(event => event.data.name === 'held'))
  } finally {
    await foreign.unsafe(`rollback prepared 'left open'`).catch(() => {})
    await Promise.all([foreign, writers].map(sql => sql.end({ timeout: 1 })))
    await worker.stop()
  }
}, 60_000)
