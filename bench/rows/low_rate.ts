// low_rate: single events now and then, each in a transaction of its own, to one receiver: how late they arrive, and what
// PostgreSQL takes for them.

import type { Place } from '../delivering.ts'
import { lagsFrom } from '../lags.ts'
import { openReceiver } from '../receiver.ts'
import type { Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, quantile, spread } from '../statistics.ts'
import { eventType, prepared, startDelivering, subscribeAll } from '../subscriptions.ts'
import { cpuSecondsOf, postgresCpuSeconds } from '../usage.ts'
import { writeEvents } from '../writer.ts'

const reaches = {
  'p50 from commit to receipt': { atMost: 1.5 },
  'p99 from commit to receipt': { atMost: 5 },
  'PostgreSQL, per 10,000 events': { atMost: 6 },
}
const perSecond = 200
// 10,000 events, as the figure says.
const secondsMin = 50
const warmUpSeconds = 5
const connections = 4

type Round = { p50: number; p99: number; postgresSeconds: number; ownSeconds: number }

async function measureRound(
  { database, receiver }: Place,
  pids: readonly number[],
  seconds: number,
): Promise<Round> {
  const total = perSecond * seconds
  await receiver.begin()
  return await withSql(database.url, async sql => {
    const used = async () => ({ postgres: await postgresCpuSeconds(sql), own: cpuSecondsOf(pids) })
    const before = await used()
    const plan = { url: database.url, perSecond, total, connections, eventTypes: [eventType] }
    const written = await writeEvents(plan)
    await receiver.reached(total)
    const after = await used()
    const lags = lagsFrom(written, await receiver.receipts())
    const each = 10_000 / total
    return {
      p50: quantile(lags, 0.5),
      p99: quantile(lags, 0.99),
      postgresSeconds: (after.postgres - before.postgres) * each,
      ownSeconds: (after.own - before.own) * each,
    }
  })
}

async function measure(place: Place) {
  const { bench, database, receiver } = place
  const seconds = Math.max(secondsMin, bench.options.seconds)
  await prepared(database, sql => subscribeAll(sql, receiver, 1))
  const rounds = await bench.during(startDelivering(database, receiver), async ({ pids }) => {
    await measureRound(place, pids, warmUpSeconds)
    const measured: Round[] = []
    while (measured.length < bench.options.rounds)
      measured.push(await measureRound(place, pids, seconds))
    return measured
  })
  const figure = (name: keyof typeof reaches, member: keyof Round, unit: string, detail = '') => {
    const values = rounds.map(round => round[member])
    return {
      name,
      value: median(values),
      unit,
      spread: spread(values),
      reach: reaches[name],
      detail,
    }
  }
  const own = median(rounds.map(({ ownSeconds }) => ownSeconds)).toFixed(1)
  return [
    figure('p50 from commit to receipt', 'p50', 'ms', `${perSecond} events/s`),
    figure('p99 from commit to receipt', 'p99', 'ms'),
    figure(
      'PostgreSQL, per 10,000 events',
      'postgresSeconds',
      's',
      `of a core, writing included; the service ${own} s`,
    ),
  ]
}

export const lowRate: Row = {
  name: 'low_rate',
  measures: 'commit to receipt of single events at 200 a second, and what they cost PostgreSQL',
  reaches,
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    return await measure({ bench, database, receiver: await openReceiver(bench) })
  },
}
