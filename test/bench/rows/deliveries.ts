// deliveries: how many are sent and recorded per second, against graphile-worker with the same work.
import { withSql } from '../databases.ts'
import {
  type Delivered,
  deliverEvents,
  deliverQueue,
  deliverStored,
  type Place,
} from '../delivering.ts'
import { postRequest } from '../load/plan.ts'
import { isPeerDone, type PeerSetting, queueForPeer, startGraphileWorker } from '../peers.ts'
import { openReceiver } from '../receiver.ts'
import { alternateRounds, best } from '../rounds.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'
import {
  addEvents,
  prepared,
  queueDeliveries,
  type Subscription,
  subscribeAll,
} from '../subscriptions.ts'

const reach = { atLeast: 1 }
const subscriptionCounts = [1, 50]
// Enough to tell settings apart, and to size the rounds by.
const probeTotal = 4_000
const queuedMax = 60_000
const clientConnections = 32

// A few of each kind; what is left out (undici and node:https on Bun, more at once, longer delays) was slower.
const peerSettings: PeerSetting[] = [
  { runtime: 'node', sender: 'undici', concurrentJobs: 24, batchDelayMs: 0 },
  { runtime: 'node', sender: 'undici', concurrentJobs: 64, batchDelayMs: 25 },
  { runtime: 'node', sender: 'https', concurrentJobs: 64, batchDelayMs: 0 },
  { runtime: 'bun', sender: 'fetch', concurrentJobs: 24, batchDelayMs: 0 },
  { runtime: 'bun', sender: 'fetch', concurrentJobs: 64, batchDelayMs: 0 },
  { runtime: 'bun', sender: 'fetch', concurrentJobs: 64, batchDelayMs: 25 },
]

const named = (count: number) => (count === 1 ? '1 subscription' : `${count} subscriptions`)
const ratioName = (count: number) => `service / graphile-worker, ${named(count)}`

async function deliverTheirs(
  place: Place,
  total: number,
  subscriptions: number,
  setting: PeerSetting,
) {
  const { bench, database, receiver } = place
  const known = await withSql(
    database.url,
    sql => sql`select to_regnamespace('graphile_worker') as known`,
  )
  // Its first start makes its tables.
  if (known[0]?.known === null)
    await bench.during(startGraphileWorker(database, receiver, [], setting), async () => {})
  const list: Subscription[] = []
  await prepared(database, async sql => {
    list.push(...(await subscribeAll(sql, receiver, subscriptions)))
    await addEvents(sql, total / subscriptions)
    await queueDeliveries(sql)
    await queueForPeer(sql)
  })
  const start = () => startGraphileWorker(database, receiver, list, setting)
  return await deliverQueue(place, { total, start, isDone: isPeerDone })
}

async function bestSetting(place: Place): Promise<{ setting: PeerSetting; rate: number }> {
  let rate = 0
  const setting = await best(peerSettings, async one => {
    const delivered = await deliverTheirs(place, probeTotal, 1, one)
    const { runtime, sender, concurrentJobs, batchDelayMs } = one
    place.bench.note(
      `graphile-worker on ${runtime} with ${sender}, ${concurrentJobs} at once, batch delay ${batchDelayMs} ms: ${Math.round(delivered.rate)} /s.`,
    )
    rate = Math.max(rate, delivered.rate)
    return delivered.rate
  })
  return { setting, rate }
}

/** What the receiver takes from a client that only sends. */
async function receiverRate({ bench, receiver }: Place, body: string): Promise<number> {
  const { requests, seconds } = await bench.load.saturate({
    port: receiver.port,
    ca: receiver.ca,
    connections: clientConnections,
    until: { seconds: bench.options.seconds },
    requests: [postRequest('/hook', body)],
  })
  return requests / seconds
}

const eventBody = ({ database }: Place): Promise<string> =>
  withSql(database.url, async sql => {
    const [row] = await sql`select row_to_json(event)::text as body from (
      select id, event_type, schema_version, occurred_at, object_type, object_id, links, data from events limit 1) as event`
    return row?.body as string
  })

const rateFigure = (name: string, rates: number[], detail = ''): Figure => ({
  name,
  value: median(rates),
  unit: '/s',
  spread: spread(rates),
  detail,
})

const ratioFigure = (count: number, ours: number[], theirs: number[]): Figure => {
  const ratios = ours.map((rate, round) => rate / (theirs[round] ?? Number.NaN))
  return { name: ratioName(count), value: median(ratios), unit: '×', spread: spread(ratios), reach }
}

async function measure(place: Place): Promise<Figure[]> {
  const { bench } = place
  const { setting, rate } = await bestSetting(place)
  const { rate: ownRate } = await deliverStored(place, probeTotal, 1)
  const body = await eventBody(place)
  const wanted = Math.min(queuedMax, bench.options.seconds * Math.max(rate, ownRate))
  const most = Math.max(...subscriptionCounts)
  const total = Math.ceil(Math.max(wanted, probeTotal) / most) * most
  bench.note(`deliveries: ${total} queued a round, a body of ${body.length} bytes.`)
  const delivered: Record<string, Delivered[]> = {}
  const subject = (name: string, deliver: () => Promise<Delivered>) => ({
    name,
    async measure() {
      const one = await deliver()
      delivered[name] = [...(delivered[name] ?? []), one]
      return one.rate
    },
  })
  const rates = await alternateRounds(
    [
      ...subscriptionCounts.flatMap(count => [
        subject(`service ${count}`, () => deliverStored(place, total, count)),
        subject(`peer ${count}`, () => deliverTheirs(place, total, count, setting)),
      ]),
      subject('events', () => deliverEvents(place, total)),
      { name: 'client', measure: () => receiverRate(place, body) },
    ],
    bench.options.rounds,
  )
  return figures(rates, delivered)
}

function figures(rates: number[][], delivered: Record<string, Delivered[]>): Figure[] {
  const of = (name: string, member: keyof Delivered) =>
    median((delivered[name] ?? []).map(one => one[member])).toFixed(2)
  const costs = (name: string) =>
    `per delivery ${of(name, 'cpuMs')} ms of a core, ${of(name, 'statements')} statements`
  const [events = [], client = []] = rates.slice(-2)
  return [
    ...subscriptionCounts.flatMap((count, index) => {
      const [ours = [], theirs = []] = rates.slice(index * 2, index * 2 + 2)
      return [
        rateFigure(`service, ${named(count)}`, ours, costs(`service ${count}`)),
        rateFigure(`graphile-worker, ${named(count)}`, theirs, costs(`peer ${count}`)),
        ratioFigure(count, ours, theirs),
      ]
    }),
    rateFigure('events from the outbox', events, 'sequenced, delivered, recorded; 1 subscription'),
    rateFigure(
      'a client that only posts',
      client,
      `receiving a delivery takes ${of('service 1', 'receiverCpuMs')} ms of a core`,
    ),
  ]
}

export const deliveries: Row = {
  name: 'deliveries',
  measures: 'deliveries per second over HTTPS, each recorded, against graphile-worker',
  reaches: Object.fromEntries(subscriptionCounts.map(count => [ratioName(count), reach])),
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    return await measure({ bench, database, receiver: await openReceiver(bench) })
  },
}
