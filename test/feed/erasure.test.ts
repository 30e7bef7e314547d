// Erasing while everything runs: writers for the person and for others, the sequencer, deliveries, a reader. Others
// lose nothing, cursors ascend, and what was committed before the last erasure is gone.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { eraseKontakt } from '../../src/operations/erasure.ts'
import { openTestPool } from '../support/database/database.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { feedReader, flawless, judgeRace, race } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { dump } from '../support/people/person_data.ts'
import { until } from '../support/until.ts'

const api = useService()
const hooks = useHooks(api)
hooks.useWorker()
let writers: Sql

beforeAll(() => {
  writers = openTestPool(api.url, 12)
})
afterAll(() => writers.end({ timeout: 1 }))

const email = 'vogelbeere@example.org'
const key = `email:${email}`

/** What a platform writes about one person, again and again; an erasure in between may take the lead away. */
async function writePerson(isOver: () => boolean): Promise<number> {
  let written = 0
  const step = async (work: Promise<unknown>) => {
    await work.then(
      () => {
        written += 1
      },
      error => {
        // The lead is gone: erased since. Or it was sent back, as who changes several rows of the person may be.
        if (error.code !== '23503' && error.code !== '40P01') throw error
      },
    )
  }
  while (!isOver()) {
    const [lead] = await writers`
      insert into leads (name, email, phone) values ('Vogelbeere', ${email}, '0171 8881000') returning id`
    const id = lead?.id
    await step(writers`
      insert into lead_analyses (lead_id, channel, source_id, analysis_v2, kontakt_key)
      values (${id}, 'chat', gen_random_uuid(), '{"kunde":{"name":"Vogelbeere"}}', ${key})`)
    await step(
      writers`insert into appointments (platform, starts_at, title, lead_id) values ('phone', now(), 'Vogelbeere', ${id})`,
    )
    await step(writers`
      insert into signals (kind, title, score, kontakt_key) values ('x', 'Vogelbeere', 1, ${key})`)
    await step(writers`update signals set status = 'done' where kontakt_key = ${key}`)
    await step(writers`update leads set status = status || '+' where id = ${id}`)
    await step(writers`
      insert into haushalte (kontakt_key, haushalt) values (${key}, '{}')
      on conflict (kontakt_key) do update set haushalt = jsonb_build_object('n', random())`)
    await step(writers`select merge_kontakte('0171 8881000', ${email})`)
  }
  return written
}

/** Pages while `isOver` says no, and to the end. */
async function readAlong(isOver: () => boolean) {
  const reader = feedReader(api)
  while (!isOver()) if ((await reader.readPage()) === 0) await Bun.sleep(5)
  return reader
}

test('others lose nothing, and of the person nothing comes back', async () => {
  const { sql } = api
  const hook = await hooks.subscribe(hooks.receiver.url('/ok'), {
    event_types: ['lead.stage_changed', 'signal.opened', 'analysis.completed'],
  })
  const database = openDatabase(sql, queries)
  let over = false
  const isOver = () => over
  const person = [writePerson(isOver), writePerson(isOver)]
  const reading = readAlong(isOver)
  const others = race(writers, { writers: 4, durationMs: 2_000, held: 0, rolledBack: 0.05 })
  let erasures = 0
  let delivered = 0
  const erasing = (async () => {
    while (!over) {
      const erased = await eraseKontakt(database, email)
      if (erased) erasures += 1
      delivered += erased?.recipients[0]?.received ?? 0
      await Bun.sleep(20)
    }
  })()
  const committed = await others
  // A busy machine takes longer for as many.
  await until(() => erasures > 5 && delivered > 0, 20_000)
  over = true
  const written = await Promise.all(person)
  await erasing
  await eraseKontakt(database, email)
  const waits = async () => (await hooks.deliveries(hook)).some(({ state }) => state === 'pending')
  await until(async () => (await isSequenced(sql)) && !(await waits()), 30_000)
  const reader = await reading
  await reader.readAll()
  expect(Math.min(...written)).toBeGreaterThan(5)
  expect(judgeRace(committed, reader.seen)).toEqual(flawless(committed))

  const left = Object.entries(await dump(sql)).flatMap(([table, rows]) =>
    rows.filter(row => /vogelbeere|8881000/i.test(row)).map(row => `${table} ${row}`),
  )
  expect(left).toEqual([])
  // Attempts to deliver what is gone, recorded late, keep nothing of the answer.
  const words = await sql`
    select cursor from hook_attempts
    where (excerpt is not null or headers is not null) and not exists (
      select from event_cursors join events using (log_id) where event_cursors.cursor = hook_attempts.cursor)`
  expect(words).toHaveLength(0)
  const rest = await hooks.deliveries(hook)
  expect(rest.every(({ state }) => state === 'delivered')).toBe(true)
}, 90_000)
