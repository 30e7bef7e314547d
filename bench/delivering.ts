// Deliveries to a receiver in a process of its own: how long a backlog takes, and how long each event from its commit on.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../src/db/connect.ts'
import { until } from '../test/support/until.ts'
import { type Bench, type BenchDatabase, withSql } from './bench.ts'
import { openClock } from './load/clock.ts'
import type { Receipts } from './load/receiver.ts'
import type { WriterPlan, Written } from './load/writer.ts'
import { benchDir, type Running, start, startServiceProcess } from './processes.ts'
import {
  addEvents,
  emitStatement,
  insertSubscription,
  isDelivered,
  prepareFeed,
  sealingKey,
} from './subscriptions.ts'

export type Place = {
  bench: Bench
  database: BenchDatabase
  receiver: Awaited<ReturnType<typeof openReceiver>>
}

const originsMax = 51
// Far longer than any round.
const patienceMs = 120_000

/** Runs until the row is over. */
async function openReceiver(bench: Bench) {
  const command = [process.execPath, 'bench/load/receiver.ts']
  const running = await bench.keep(
    start({ command, path: '/', env: { ORIGINS: String(originsMax) }, output: 'receiver.log' }),
  )
  const ask = async <Answer>(path: string): Promise<Answer> => {
    const signal = AbortSignal.timeout(patienceMs)
    return (await fetch(`http://127.0.0.1:${running.port}${path}`, { signal })).json() as Answer
  }
  const { ca, ports } = await ask<{ ca: string; ports: number[] }>('/')
  const caFile = join(benchDir, 'receiver_ca.pem')
  writeFileSync(caFile, ca)
  const receipts = () => ask<Receipts>('/receipts')
  return {
    caFile,
    /** Of subscriber number 0, 1 and so on; more than there are origins share them. */
    url: (number: number, path = '/hook') =>
      `https://127.0.0.1:${ports[number % ports.length]}${path}`,
    /** Counts from 0 again; keeps the moments of one event in `sample`. */
    begin: (sample = 1) => ask<null>(`/begin?sample=${sample}`),
    /** Resolves when so many have arrived. */
    reached: (count: number) =>
      ask<number>(`/reached?count=${count}`).catch(async () => {
        throw new Error(`${(await receipts()).received} of ${count} deliveries arrived`)
      }),
    receipts,
    /** The tar pit answers. */
    release: () => ask<null>('/release'),
  }
}

/** A database whose feed and subscriptions the rows of deliveries change, and a receiver. */
export const openPlace = async (bench: Bench): Promise<Place> => ({
  bench,
  database: await bench.database(bench.options.sizes.small, 'deliveries'),
  receiver: await openReceiver(bench),
})

/** The service as a user starts it, but that it may call the receiver. */
const startDelivering = ({ database, receiver }: Place): Promise<Running> =>
  startServiceProcess(database, {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: receiver.caFile,
    SECRETS_KEY: sealingKey.toString('hex'),
    // Pruning must not fall into a round.
    EVENT_RETENTION_DAYS: '-1',
  })

export async function subscribeAll(sql: Sql, { receiver }: Place, count: number): Promise<void> {
  for (let number = 0; number < count; number += 1)
    // The last origin is the tar pit's.
    await insertSubscription(sql, receiver.url(number % (originsMax - 1)))
}

export const subscribeTarPit = (sql: Sql, { receiver }: Place): Promise<string> =>
  insertSubscription(sql, receiver.url(originsMax - 1, '/tarpit'))

/** A service that delivers to so many subscriptions, warm. */
export async function startWarm(place: Place, subscriptions: number): Promise<Running> {
  await prepareFeed(place.database, sql => subscribeAll(sql, place, subscriptions))
  const running = await place.bench.keep(startDelivering(place))
  const total = Math.ceil(2_000 / subscriptions)
  await offer(place, { perSecond: unpaced, total }, subscriptions)
  return running
}

type Backlog = {
  /** Deliveries in it. */
  total: number
  start(): Promise<Running>
  /** Whether all of them are recorded. */
  isDone(sql: Sql): Promise<boolean>
}

/** Deliveries per second, and bytes of WAL for each. */
export type Drained = { rate: number; walBytes: number }

// The first of a process are sent by code that is not compiled yet.
const warmUpShare = 1 / 3

/** The clock runs from a receipt, when some have been sent to warm up, until all of the rest are sent and recorded. */
export async function drain(
  { bench, database, receiver }: Place,
  backlog: Backlog,
): Promise<Drained> {
  const { total } = backlog
  const warmUp = Math.ceil(total * warmUpShare)
  await receiver.begin()
  const running = await bench.keep(backlog.start())
  const drained = await withSql(database.url, async sql => {
    const written = async () => {
      const [row] = await sql`select (pg_current_wal_lsn() - '0/0')::float8 as bytes`
      return row?.bytes as number
    }
    await receiver.reached(warmUp)
    const [from, walFrom] = [performance.now(), await written()]
    await receiver.reached(total)
    await until(() => backlog.isDone(sql), patienceMs)
    const seconds = (performance.now() - from) / 1_000
    const timed = total - warmUp
    return { rate: timed / seconds, walBytes: ((await written()) - walFrom) / timed }
  })
  await running.stop()
  return drained
}

/** By the service: events that already have cursors, to so many subscriptions. */
export async function drainByService(
  place: Place,
  total: number,
  subscriptions: number,
): Promise<Drained> {
  await prepareFeed(place.database, async sql => {
    await subscribeAll(sql, place, subscriptions)
    await addEvents(sql, total / subscriptions)
  })
  const isDone = (sql: Sql) => isDelivered(sql, total)
  return await drain(place, { total, start: () => startDelivering(place), isDone })
}

/** No pace that would hold writers. */
export const unpaced = 1_000_000
const writersTotal = 8
const writer = join(import.meta.dir, 'load/writer.ts')

export type Offered = Omit<Written, 'commits'> & {
  /** Milliseconds from a commit to its receipt, in the order of receipt. */
  lags: number[]
  silentSeconds: number
  /** From the first transaction to the last receipt. */
  wholeSeconds: number
}

/** Writers commit so many events, and every subscription gets them. */
export async function offer(
  { database, receiver }: Place,
  plan: Pick<WriterPlan, 'perSecond' | 'total'>,
  subscriptions: number,
  sample = 1,
): Promise<Offered> {
  await receiver.begin(sample)
  const whole = { url: database.url, connections: writersTotal, ...plan }
  const child = Bun.spawn([process.execPath, writer, JSON.stringify(whole)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the writer failed')
  const { commits, ...written } = JSON.parse(output) as Written
  const writtenAt = performance.now()
  await receiver.reached(plan.total * subscriptions)
  const wholeSeconds = written.seconds + (performance.now() - writtenAt) / 1_000
  const { sampled, silentSeconds } = await receiver.receipts()
  const committedAt = new Map(commits)
  const lags = sampled.map(([t, at]) => {
    const committed = committedAt.get(t)
    if (committed === undefined) throw new Error('an event was received that no writer committed')
    return at - committed
  })
  return { ...written, lags, silentSeconds, wholeSeconds }
}

/** One event, over a session that is open; milliseconds from its commit to its receipt. */
export async function offerOne(sql: Sql, { receiver }: Place): Promise<number> {
  await receiver.begin()
  const now = openClock()
  await sql.unsafe(emitStatement, [now()], { prepare: true })
  const committedAt = now()
  return (await receiver.reached(1)) - committedAt
}
