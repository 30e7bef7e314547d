// feed_lag: from a writer's commit to the event's being readable over HTTP, idle and next to a foreign transaction; and how long
// the feed is taken up with an import that ran next to many other events.
import type { Sql } from '../../src/db/connect.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { startServiceProcess } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { quantile } from '../statistics.ts'

const idleReach = { atMost: 5 }
const foreignReach = { atMost: 60 }
// Long enough apart that the sequencer has fallen asleep again.
const idlePauseMs = 400
const foreignMs = 5_000
const foreignPauseMs = 15
const importReach = { atMost: 1_500 }
const importRows = 20_000
const meanwhileEvents = 300_000
const meanwhileBatch = 10_000
const lagMaxMs = 30_000

/** Waits to the millisecond. An event that does not come is a failure, not a wait without end. */
async function soon(condition: () => boolean | Promise<boolean>) {
  const end = performance.now() + lagMaxMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`no event within ${lagMaxMs} ms`)
    await Bun.sleep(1)
  }
}

/** Reads the feed every millisecond; tells when each object became readable. */
function follow(port: number, key: string) {
  const seenAt = new Map<string, number>()
  let stopped = false
  const headers = { authorization: `Bearer ${key}` }
  const read = async (after: number | undefined) => {
    const query = after === undefined ? 'limit=200' : `limit=200&after=${after}`
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/events?${query}`, { headers })
    return (await response.json()) as {
      data: { object_id: string }[]
      meta: { next_cursor: number }
    }
  }
  const run = async () => {
    let after: number | undefined
    for (let page = await read(after); !stopped; page = await read(after)) {
      const now = performance.now()
      for (const { object_id } of page.data) seenAt.set(object_id, now)
      after = page.meta.next_cursor
      await Bun.sleep(1)
    }
  }
  const running = run()
  // stop() reports it.
  running.catch(() => undefined)
  return {
    async lagSince(id: string, committedAt: number) {
      await soon(() => seenAt.has(id))
      return Math.max(0, (seenAt.get(id) ?? Number.NaN) - committedAt)
    },
    async stop() {
      stopped = true
      await running
    },
  }
}

async function lagOfOne(sql: Sql, reader: ReturnType<typeof follow>): Promise<number> {
  const [row] = await sql`insert into leads (name) values ('Bench') returning id`
  return await reader.lagSince(row?.id, performance.now())
}

async function idleLags(sql: Sql, reader: ReturnType<typeof follow>, times: number) {
  const lags: number[] = []
  while (lags.length < times) {
    await Bun.sleep(idlePauseMs)
    lags.push(await lagOfOne(sql, reader))
  }
  return lags
}

/** Next to a transaction that has written elsewhere and stays open. */
async function foreignLags(url: string, sql: Sql, reader: ReturnType<typeof follow>) {
  return await withSql(url, async foreign => {
    const lags: number[] = []
    await foreign.begin(async transaction => {
      await transaction`insert into signals (kind, title, score) values ('bench', 'offen', 1)`
      const end = performance.now() + foreignMs
      while (performance.now() < end) {
        lags.push(await lagOfOne(sql, reader))
        await Bun.sleep(foreignPauseMs)
      }
    })
    return lags
  })
}

/** Commits a lead and waits for its cursor in the database: a reader over HTTP would read all the others first. */
async function lagInDatabase(sql: Sql): Promise<number> {
  await sql`insert into leads (name) values ('Bench')`
  const committedAt = performance.now()
  const [event] = await sql`select log_id from events order by log_id desc limit 1`
  const hasCursor = async () =>
    (await sql`select from event_cursors where log_id = ${event?.log_id}`).length > 0
  await soon(hasCursor)
  return performance.now() - committedAt
}

/** An import that began before many other events and ends after them; for how long the next event waits. */
async function lagAfterImport(url: string, sql: Sql): Promise<number> {
  return await withSql(url, async importing => {
    await importing`begin`
    await importing`insert into leads (name) values ('Bench')`
    for (let events = 0; events < meanwhileEvents; events += meanwhileBatch)
      await sql`
        insert into events (event_type, schema_version, object_type, object_id, links, data)
        select 'signal.opened', '1', 'signal', n::text, '{}', '{}' from generate_series(1, ${meanwhileBatch}) as n`
    await lagInDatabase(sql)
    await importing`
      insert into leads (name) select 'Bench ' || n from generate_series(1, ${importRows}) as n`
    await importing`commit`
    return await lagInDatabase(sql)
  })
}

type Lags = { idle: number[]; foreign: number[]; afterImport: number }

function figures({ idle, foreign, afterImport }: Lags): Figure[] {
  const p = (lags: number[], share: number) => quantile(lags, share)
  const detail = (lags: number[]) => `${lags.length} commits, p99 ${p(lags, 0.99).toFixed(1)} ms`
  return [
    { name: 'idle p50', value: p(idle, 0.5), unit: 'ms', reach: idleReach, detail: detail(idle) },
    {
      name: 'foreign 5 s transaction p99',
      value: p(foreign, 0.99),
      unit: 'ms',
      reach: foreignReach,
      detail: `${foreign.length} commits, p50 ${p(foreign, 0.5).toFixed(1)} ms`,
    },
    {
      name: 'after an import next to many events',
      value: afterImport,
      unit: 'ms',
      reach: importReach,
      detail: `${importRows} rows next to ${meanwhileEvents} events`,
    },
  ]
}

async function readLags(bench: Bench, database: BenchDatabase, port: number) {
  const reader = follow(port, database.keys[0] ?? '')
  try {
    return await withSql(database.url, async sql => {
      await idleLags(sql, reader, 5)
      const idle = await idleLags(sql, reader, bench.options.rounds * 10)
      const foreign = await foreignLags(database.url, sql, reader)
      return { idle, foreign }
    })
  } finally {
    await reader.stop()
  }
}

export const feedLag: Row = {
  name: 'feed_lag',
  measures:
    'commit to readable over GET /events, idle and next to an open transaction; to its cursor after an import',
  reaches: {
    'idle p50': idleReach,
    'foreign 5 s transaction p99': foreignReach,
    'after an import next to many events': importReach,
  },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'lag')
    bench.note(
      'feed_lag: one writer, one reader that polls every millisecond; limit lifted for it.',
    )
    return await bench.during(
      startServiceProcess(database, { RATE_LIMIT_PER_MINUTE: '1000000' }),
      async ({ port }) => {
        const lags = await readLags(bench, database, port)
        // The reader has stopped.
        const afterImport = await withSql(database.url, sql => lagAfterImport(database.url, sql))
        return figures({ ...lags, afterImport })
      },
    )
  },
}
