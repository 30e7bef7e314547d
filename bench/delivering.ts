// How long it takes to deliver what is queued: the same clock for the service and for its peer.
import type { Sql } from '../src/db/connect.ts'
import { until } from '../test/support/until.ts'
import type { Bench } from './bench.ts'
import { openClock } from './clock.ts'
import type { BenchDatabase } from './databases.ts'
import { type Running, startAll } from './processes.ts'
import type { BenchReceiver } from './receiver.ts'
import { withSql } from './session.ts'
import {
  addEvents,
  emitEvents,
  isDelivered,
  listRepeats,
  prepared,
  startDelivering,
  subscribeAll,
} from './subscriptions.ts'
import { cpuSecondsOf, memoryOf, postgresCpuSeconds } from './usage.ts'

// The first of a process are sent by code that is not compiled yet, which takes a tenth more of it.
export const warmUpMax = 20_000
const drainMs = 60_000

export type Place = { bench: Bench; database: BenchDatabase; receiver: BenchReceiver }

export type Queue = {
  /** Deliveries that are queued. */
  total: number
  /** Of these, how many come before the clock runs; usually 20,000, or half of fewer. */
  warmUp?: number | undefined
  start(): Promise<Running>
  /** Whether all of them are recorded. */
  isDone(sql: Sql): Promise<boolean>
}

export type Delivered = {
  /** Deliveries per second. */
  rate: number
  /** Milliseconds of a core per delivery: of the process that delivers, of PostgreSQL, and of the receiver. */
  cpuMs: number
  postgresCpuMs: number
  receiverCpuMs: number
  /** Bytes of WAL per delivery. */
  walBytes: number
  /** Bytes by which the process that delivers has grown, per delivery. */
  grownBytes: number
  /** Statements per delivery, those of the start included. */
  statements: number
}

const othersOnline = `
  select from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`

/**
 * How many transactions there are while `work` runs. Nothing in it opens one, so each is one statement. Sessions
 * tell their count when they end at the latest, so it is read when all of them have ended.
 */
export async function countStatements<Value>(
  { url }: BenchDatabase,
  work: () => Promise<Value>,
): Promise<{ value: Value; statements: number }> {
  const read = () =>
    withSql(url, async sql => {
      await until(async () => (await sql.unsafe(othersOnline)).length === 0, drainMs)
      const [row] = await sql`
        select (xact_commit + xact_rollback)::integer as total from pg_stat_database where datname = current_database()`
      return row?.total as number
    })
  const before = await read()
  const value = await work()
  return { value, statements: (await read()) - before }
}

async function walBytes(sql: Sql): Promise<number> {
  const [row] = await sql`select (pg_current_wal_lsn() - '0/0')::float8 as bytes`
  return row?.bytes
}

/**
 * Starts what delivers when everything is queued. The clock runs from a receipt, when some have been sent to
 * warm up, until all of the rest are sent and recorded.
 */
export async function deliverQueue(
  { bench, database, receiver }: Place,
  { total, warmUp = Math.min(warmUpMax, Math.floor(total / 2)), start, isDone }: Queue,
): Promise<Delivered> {
  await receiver.begin()
  const now = openClock()
  const deliver = () =>
    bench.during(start(), ({ pids }) =>
      withSql(database.url, async sql => {
        const used = async () => ({
          own: cpuSecondsOf(pids),
          postgres: await postgresCpuSeconds(sql),
          receiver: (await receiver.receipts()).cpuSeconds,
          bytes: await memoryOf(pids),
          wal: await walBytes(sql),
        })
        await isDone(sql)
        const from = await receiver.reached(warmUp)
        const warm = await used()
        await receiver.reached(total)
        await until(() => isDone(sql), drainMs)
        const seconds = (now() - from) / 1_000
        const done = await used()
        const timed = total - warmUp
        const each = (kind: keyof typeof done) => (done[kind] - warm[kind]) / timed
        return {
          rate: timed / seconds,
          cpuMs: each('own') * 1_000,
          postgresCpuMs: each('postgres') * 1_000,
          receiverCpuMs: each('receiver') * 1_000,
          grownBytes: each('bytes'),
          walBytes: each('wal'),
        }
      }),
    )
  const { value, statements } = await countStatements(database, deliver)
  return { ...value, statements: statements / total }
}

/** How the service is started: with which settings beyond a user's, and in how many processes. */
export type Started = { env?: Record<string, string>; processes?: number; warmUp?: number }

/** By the service, all of what `prepare` leaves to deliver. */
async function deliver(
  place: Place,
  total: number,
  prepare: (sql: Sql) => Promise<unknown>,
  { env = {}, processes = 1, warmUp }: Started = {},
) {
  const { bench, database, receiver } = place
  await prepared(database, prepare)
  const startOne = () => startDelivering(database, receiver, env)
  const start = () => startAll(Array.from({ length: processes }, () => startOne))
  const isDone = (sql: Sql) => isDelivered(sql, total)
  const delivered = await deliverQueue(place, { total, warmUp, start, isDone })
  const repeats = await withSql(database.url, sql => listRepeats(sql, total))
  if (repeats) bench.note(`of ${total} deliveries failed at first and were repeated: ${repeats}.`)
  return delivered
}

/** Delivers events that already have cursors. */
export const deliverStored = (
  place: Place,
  total: number,
  subscriptions: number,
  started?: Started,
) =>
  deliver(
    place,
    total,
    async sql => {
      await subscribeAll(sql, place.receiver, subscriptions)
      await addEvents(sql, total / subscriptions)
    },
    started,
  )

/** Through the sequencer: what a writer's events take. */
export const deliverEvents = (place: Place, total: number, subscriptions = 1) =>
  deliver(place, total, async sql => {
    await subscribeAll(sql, place.receiver, subscriptions)
    await emitEvents(sql, total / subscriptions)
  })

/** As it is sent. */
export const eventBody = ({ database }: Place): Promise<string> =>
  withSql(database.url, async sql => {
    const [row] = await sql`select row_to_json(event)::text as body from (
      select id, event_type, schema_version, occurred_at, object_type, object_id, links, data from events limit 1) as event`
    return row?.body as string
  })
