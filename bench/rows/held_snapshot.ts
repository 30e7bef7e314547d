// held_snapshot: what a transaction that is held open does to deliveries and to readers of the feed. A dump, a report or a
// forgotten session is one: while it lasts no dead row goes.

import type { Place } from '../delivering.ts'
import { lagsFrom } from '../lags.ts'
import type { MeasuredReceipts } from '../load/receiver.ts'
import { openReceiver } from '../receiver.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { quantile } from '../statistics.ts'
import { prepared, severalTypes, startDelivering, subscribeAll } from '../subscriptions.ts'
import { writeEvents } from '../writer.ts'

const reaches = {
  'p99 while held / before': { atMost: 3 },
  'seconds without a delivery': { atMost: 0 },
  "readers' p99 while held / before": { atMost: 3 },
}
const perSecond = 500
const subscriptions = 20
// Each lists one of ten types.
const perEvent = subscriptions / severalTypes.length
const connections = 4
const beforeSeconds = 30
const readEveryMs = 100
// The pace of the machine changes by the minute: the end of the time held is what counts.
const endShare = 0.25

type Stretch = { lags: number[]; receivedAt: number[]; reads: number[] }

/** Reads the newest page of the feed now and then for as long as `isOver` says no. */
async function readFeed(url: string, key: string, isOver: () => boolean): Promise<number[]> {
  const headers = { authorization: `Bearer ${key}` }
  const took: number[] = []
  let after = ''
  while (!isOver()) {
    const from = performance.now()
    const response = await fetch(`${url}/api/v1/events?limit=100${after}`, { headers })
    const { meta } = (await response.json()) as { meta?: { next_cursor: number } }
    took.push(performance.now() - from)
    if (meta) after = `&after=${Math.max(0, meta.next_cursor - 100)}`
    await Bun.sleep(readEveryMs)
  }
  return took
}

async function offer(place: Place, service: string, seconds: number): Promise<Stretch> {
  const { database, receiver } = place
  const total = perSecond * seconds
  await receiver.begin()
  let over = false
  const reading = readFeed(service, database.keys[0] ?? '', () => over)
  const write = async () => {
    const plan = { url: database.url, perSecond, total, connections, eventTypes: severalTypes }
    const written = await writeEvents(plan)
    await receiver.reached(total * perEvent)
    return written
  }
  const written = await write().finally(() => {
    over = true
  })
  const receipts: MeasuredReceipts = await receiver.receipts()
  const receivedAt = receipts.made.map((t, at) => t + (receipts.lags[at] ?? 0))
  return { lags: lagsFrom(written, receipts), receivedAt, reads: await reading }
}

/** Whole seconds between the first receipt and the last in which none came. */
function silentSeconds(receivedAt: readonly number[]): number {
  const seconds = new Set(receivedAt.map(at => Math.floor(at / 1_000)))
  const [first, last] = [Math.min(...seconds), Math.max(...seconds)]
  return last - first + 1 - seconds.size
}

/** Takes what a dump takes of a database: its snapshot, and a lock on every table. */
const holdLikeADump = (url: string, whileHeld: () => Promise<void>) =>
  withSql(url, sql =>
    sql.begin('isolation level repeatable read', async transaction => {
      const tables = await transaction`
        select quote_ident(relname) as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
      await transaction.unsafe(
        `lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`,
      )
      await transaction`select count(*) from leads`
      await whileHeld()
    }),
  )

async function measure(place: Place, heldSeconds: number): Promise<Figure[]> {
  const { bench, database, receiver } = place
  await prepared(database, sql => subscribeAll(sql, receiver, subscriptions, severalTypes))
  const { before, held, dead } = await bench.during(
    startDelivering(database, receiver),
    async ({ port }) => {
      const url = `http://127.0.0.1:${port}`
      await offer(place, url, 5)
      const before = await offer(place, url, beforeSeconds)
      let held: Stretch | undefined
      await holdLikeADump(database.url, async () => {
        held = await offer(place, url, heldSeconds)
      })
      const dead = await withSql(
        database.url,
        sql => sql`select relname, n_dead_tup::integer as dead from pg_stat_user_tables
          where n_dead_tup > 100 order by n_dead_tup desc limit 8`,
      )
      return { before, held, dead: dead.map(row => `${row.relname} ${row.dead}`).join(', ') }
    },
  )
  if (held === undefined) throw new Error('nothing was held')
  const atTheEnd = held.lags.slice(-Math.ceil(held.lags.length * endShare))
  const [p99, calm] = [quantile(atTheEnd, 0.99), quantile(before.lags, 0.99)]
  const readsAtTheEnd = held.reads.slice(-Math.ceil(held.reads.length * endShare))
  const [readP99, readCalm] = [quantile(readsAtTheEnd, 0.99), quantile(before.reads, 0.99)]
  bench.note(`held_snapshot: dead rows at the end: ${dead || 'none above 100'}.`)
  return [
    {
      name: 'p99 while held / before',
      value: p99 / calm,
      unit: '×',
      reach: reaches['p99 while held / before'],
      detail: `${p99.toFixed(1)} ms in the last quarter of ${heldSeconds} s, ${calm.toFixed(1)} ms before; p50 ${quantile(atTheEnd, 0.5).toFixed(1)} and ${quantile(before.lags, 0.5).toFixed(1)}; worst ${Math.max(...held.lags).toFixed(0)} ms`,
    },
    {
      name: 'seconds without a delivery',
      value: silentSeconds(held.receivedAt),
      unit: '',
      reach: reaches['seconds without a delivery'],
      detail: `${perSecond} events/s, ${perSecond * perEvent} deliveries/s`,
    },
    {
      name: "readers' p99 while held / before",
      value: readP99 / readCalm,
      unit: '×',
      reach: reaches["readers' p99 while held / before"],
      detail: `${readP99.toFixed(1)} ms in the last quarter, ${readCalm.toFixed(1)} ms before`,
    },
  ]
}

export const heldSnapshot: Row = {
  name: 'held_snapshot',
  measures: 'deliveries and readers while a transaction holds its snapshot and the locks of a dump',
  reaches,
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    const place = { bench, database, receiver: await openReceiver(bench) }
    return await measure(place, bench.options.quick ? 120 : 600)
  },
}
