// receiver_down: one of ten receivers is down for an hour at 50 events a second, then comes back: what that costs the
// service and the other receivers, and whether it gets everything.
import { join } from 'node:path'
import { until } from '../../test/support/until.ts'
import type { BenchDatabase } from '../databases.ts'
import type { Place } from '../delivering.ts'
import { lagsFrom } from '../lags.ts'
import { memoryCurve, memoryFigures, memoryReaches, parts } from '../memory.ts'
import type { Running } from '../processes.ts'
import { openReceiver } from '../receiver.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { quantile } from '../statistics.ts'
import {
  eventType,
  prepared,
  startDelivering,
  subscribeAll,
  subscribeDown,
} from '../subscriptions.ts'
import { writeEvents } from '../writer.ts'

const reaches = {
  "others' p99 while it is down / before": { atMost: 1.5 },
  // It gets what it missed as fast as its window allows.
  "others' p99 while it catches up / before": { atMost: 3 },
  // 500 and a window in flight; while all fail one more every 10 s, until the pause after 36 minutes.
  'deliveries that wait for another attempt, most': { atMost: 800 },
  'events it did not get': { atMost: 0 },
  ...memoryReaches,
}
const perSecond = 50
const others = 9
const connections = 2
const warmUpSeconds = 5
const beforeSeconds = 30
const backSeconds = 30
const watchMs = 1_000
const caughtUpMs = 900_000
// A twentieth of the hour, and of the waits between attempts.
const quick = { downSeconds: 180, env: { WEBHOOK_RETRY_DELAYS: '0.5,3,15,90' } }
const full = { downSeconds: 3_600, env: {} }

/** Writes events for so long: milliseconds from commit to receipt at the other receivers. */
async function offer({ database, receiver }: Place, seconds: number): Promise<number[]> {
  const total = perSecond * seconds
  await receiver.begin()
  const plan = { url: database.url, perSecond, total, connections, eventTypes: [eventType] }
  const written = await writeEvents(plan)
  await receiver.reached(total * others)
  return lagsFrom(written, await receiver.receipts())
}

/** The most deliveries that waited, looked at each second until `work` is over. */
const watchRetries = ({ url }: BenchDatabase, work: Promise<unknown>): Promise<number> =>
  withSql(url, async sql => {
    let over = false
    const end = () => {
      over = true
    }
    void work.then(end, end)
    let most = 0
    while (!over) {
      const [row] = await sql`select count(*)::integer as waiting from hook_retries`
      most = Math.max(most, row?.waiting)
      await Bun.sleep(watchMs)
    }
    return most
  })

/** What is recorded of a subscription so far. */
const recordedOf = ({ url }: BenchDatabase, id: string) =>
  withSql(url, async sql => {
    const [row] = await sql`
      select count(*)::integer as attempts,
        count(distinct cursor) filter (where outcome = 'd')::integer as delivered
      from hook_attempts
      where no = (select no from hook_positions where subscription_id = ${id})`
    return row as { attempts: number; delivered: number }
  })

/** What the owner does once the receiver is back, as a command. */
async function repair({ url }: BenchDatabase, id: string): Promise<string[]> {
  const [hook] = await withSql(
    url,
    sql => sql`select active from hook_subscriptions where id = ${id}`,
  )
  const words = hook?.active ? ['deliver-missed', id] : ['reactivate', id, '--deliver-missed']
  await Bun.$`bun src/main.ts hooks ${words}`
    .cwd(join(import.meta.dir, '../..'))
    .env({ ...process.env, DATABASE_URL: url })
    .quiet()
  return words
}

/** The time that a receiver is down. */
async function beDown(place: Place, service: Running, seconds: number) {
  await place.receiver.hold()
  const offering = offer(place, seconds)
  const [lags, waitingMost, memory] = await Promise.all([
    offering,
    watchRetries(place.database, offering),
    memoryCurve(service, () => Bun.sleep((seconds * 1_000) / parts)),
  ])
  return { lags, waitingMost, memory }
}

/** It is back: events go on, while it gets what it missed. */
async function comeBack(place: Place, id: string, written: number) {
  const { database, receiver } = place
  await receiver.release()
  const command = await repair(database, id)
  const from = performance.now()
  const caughtUp = until(
    async () => (await recordedOf(database, id)).delivered >= written,
    caughtUpMs,
  ).then(
    () => performance.now() - from,
    () => Number.NaN,
  )
  const lags = await offer(place, backSeconds)
  const seconds = (await caughtUp) / 1_000
  return { lags, command: command[0], seconds }
}

async function takeCourse(place: Place, service: Running, id: string, downSeconds: number) {
  const { database } = place
  await offer(place, warmUpSeconds)
  const before = await offer(place, beforeSeconds)
  const down = await beDown(place, service, downSeconds)
  const { attempts, delivered } = await recordedOf(database, id)
  const writtenBefore = perSecond * (warmUpSeconds + beforeSeconds)
  const back = await comeBack(place, id, writtenBefore + perSecond * downSeconds)
  const written = writtenBefore + perSecond * (downSeconds + backSeconds)
  const missing = async () => written - (await recordedOf(database, id)).delivered
  await until(async () => (await missing()) === 0, caughtUpMs / 10).catch(() => undefined)
  return {
    before,
    down,
    back,
    attemptsWhileDown: attempts - delivered,
    written,
    missing: await missing(),
  }
}

function figuresOf(
  {
    before,
    down,
    back,
    attemptsWhileDown,
    written,
    missing,
  }: Awaited<ReturnType<typeof takeCourse>>,
  downSeconds: number,
): Figure[] {
  const calm = quantile(before, 0.99)
  const comparedWithBefore = (name: keyof typeof reaches, lags: readonly number[]): Figure => {
    const p99 = quantile(lags, 0.99)
    const detail = `${p99.toFixed(1)} ms, ${calm.toFixed(1)} ms before; p50 ${quantile(lags, 0.5).toFixed(1)} and ${quantile(before, 0.5).toFixed(1)}`
    return { name, value: p99 / calm, unit: '×', reach: reaches[name], detail }
  }
  const minutes = downSeconds / 60
  const missed = perSecond * downSeconds
  return [
    comparedWithBefore("others' p99 while it is down / before", down.lags),
    comparedWithBefore("others' p99 while it catches up / before", back.lags),
    {
      name: 'deliveries that wait for another attempt, most',
      value: down.waitingMost,
      unit: '',
      reach: reaches['deliveries that wait for another attempt, most'],
      detail: `of ${missed} events in ${minutes} minutes; ${attemptsWhileDown} attempts`,
    },
    {
      name: 'events it did not get',
      value: missing,
      unit: '',
      reach: reaches['events it did not get'],
      detail: `of ${written}; hooks ${back.command}: ${missed} after ${back.seconds.toFixed(0)} s`,
    },
    ...memoryFigures(down.memory, `${minutes} minutes down`),
  ]
}

export const receiverDown: Row = {
  name: 'receiver_down',
  measures: 'one of ten receivers down for an hour at 50 events/s: the others, retries, memory',
  reaches,
  async run(bench) {
    const { downSeconds, env } = bench.options.quick ? quick : full
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    const receiver = await openReceiver(bench)
    let id = ''
    await prepared(database, async sql => {
      await subscribeAll(sql, receiver, others)
      id = (await subscribeDown(sql, receiver)).id
    })
    const course = await bench.during(startDelivering(database, receiver, env), service =>
      takeCourse({ bench, database, receiver }, service, id, downSeconds),
    )
    return figuresOf(course, downSeconds)
  },
}
