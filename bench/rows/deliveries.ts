// deliveries: how many are sent and recorded per second, against queues on PostgreSQL with the same work.
import {
  type Delivered,
  deliverEvents,
  deliverQueue,
  deliverStored,
  eventBody,
  type Place,
  warmUpMax,
} from '../delivering.ts'
import { type Missing, orMissing, rateOf, ratioFigure } from '../http_subject.ts'
import { postRequest } from '../load/plan.ts'
import { type QueuePeer, type QueueSetting, queuePeers, startQueuePeer } from '../queue_peers.ts'
import { openReceiver } from '../receiver.ts'
import { alternateRounds, best } from '../rounds.ts'
import type { Figure, Reach, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, spread } from '../statistics.ts'
import {
  addEvents,
  type BenchSubscription,
  countSubscriptions,
  prepared,
  subscribeAll,
} from '../subscriptions.ts'

// Of the first peer, by number of subscriptions; the others are to be reached.
const reachOf = (place: number, count: number) => ({
  atLeast: place > 0 ? 1 : count > 1 ? 1.5 : 1.15,
})
const subscriptionCounts = [1, 50]
const many = 1_000
const manyReach = { atLeast: 0.8 }
const manyRatio = `service, ${many} subscriptions / 50`
// Each event is read once for all of them.
const sharing = 50
const postgresReach = { atMost: 10 }
const postgresCost = `PostgreSQL per delivery, ${countSubscriptions(sharing)}`
const walReach = { atMost: 300 }
const walCost = `WAL per delivery, ${countSubscriptions(sharing)}`
// Enough to tell settings apart, and to size the rounds by.
const probeTotal = 4_000
const queuedMax = 80_000
const clientConnections = 32

const ratioName = (peer: string, count: number) => `service / ${peer}, ${countSubscriptions(count)}`

/** What is compared: the first peer with both numbers of subscriptions, the others with one. */
const comparisons = queuePeers.flatMap((peer, place) =>
  (place === 0 ? subscriptionCounts : [1]).map(count => ({
    peer,
    count,
    reach: reachOf(place, count),
  })),
)

async function deliverTheirs(
  place: Place,
  peer: QueuePeer,
  total: number,
  subscriptions: number,
  setting: QueueSetting,
): Promise<Delivered> {
  const { bench, database, receiver } = place
  const list: BenchSubscription[] = []
  const start = () => startQueuePeer(peer, database, receiver, list, setting)
  const [row] = await withSql(
    database.url,
    sql => sql`select to_regnamespace(${peer.schema}) is null as missing`,
  )
  if (row?.missing) await bench.during(start(), async () => {})
  await prepared(database, async sql => {
    list.push(...(await subscribeAll(sql, receiver, subscriptions)))
    await addEvents(sql, total / subscriptions)
    await peer.queue(sql)
  })
  return await deliverQueue(place, { total, start, isDone: peer.isDone })
}

type Chosen = { peer: QueuePeer; setting: QueueSetting; rate: number }

async function choose(place: Place, peer: QueuePeer): Promise<Chosen> {
  const rates: number[] = []
  const setting = await best(peer.settings, async one => {
    const { rate } = await deliverTheirs(place, peer, probeTotal, 1, one)
    const { runtime, sender, concurrentJobs, env } = one
    const more = Object.entries(env).map(([name, value]) => `, ${name} ${value || 'none'}`)
    place.bench.note(
      `${peer.name} on ${runtime} with ${sender}, ${concurrentJobs} at once${more.join('')}: ${Math.round(rate)} /s.`,
    )
    rates.push(rate)
    return rate
  })
  return { peer, setting, rate: Math.max(...rates) }
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

/** For as long as a round after the warm-up, whole for every number of subscriptions. */
function totalFor({ bench }: Place, rate: number): number {
  const most = Math.max(...subscriptionCounts)
  const wanted = Math.min(queuedMax, warmUpMax + bench.options.seconds * rate)
  return Math.ceil(Math.max(wanted, probeTotal) / most) * most
}

/** A whole number of events. */
const manyOf = (total: number, count: number) => Math.ceil(total / count) * count

type Measured = { rates: number[]; delivered: Delivered[] }

const costs = ({ delivered }: Measured) => {
  const of = (member: keyof Delivered) => median(delivered.map(one => one[member])).toFixed(2)
  return `per delivery ${of('cpuMs')} ms of a core, ${of('postgresCpuMs')} ms of PostgreSQL's, ${of('statements')} statements`
}

async function measure(place: Place): Promise<Figure[]> {
  const { bench } = place
  const chosen = new Map<QueuePeer, Chosen | Missing>()
  for (const peer of queuePeers) chosen.set(peer, await orMissing(choose(place, peer)))
  const { rate } = await deliverStored(place, probeTotal, 1)
  const total = totalFor(place, rate)
  const body = await eventBody(place)
  bench.note(
    `deliveries: ${total} queued a round for the service, ${warmUpMax} of them to warm up, a body of ${body.length} bytes.`,
  )

  const measured = new Map<string, Measured>()
  const subject = (name: string, deliver: () => Promise<Delivered>) => {
    const own: Measured = { rates: [], delivered: [] }
    measured.set(name, own)
    return {
      name,
      async measure() {
        const one = await deliver()
        own.rates.push(one.rate)
        own.delivered.push(one)
        return one.rate
      },
    }
  }
  const theirs = comparisons.flatMap(({ peer, count }) => {
    const one = chosen.get(peer)
    if (!one || 'missing' in one) return []
    const own = totalFor(place, one.rate)
    return [
      subject(`${peer.name} ${count}`, () => deliverTheirs(place, peer, own, count, one.setting)),
    ]
  })
  const [clientRates = []] = await alternateRounds(
    [
      { name: 'client', measure: () => receiverRate(place, body) },
      ...[...subscriptionCounts, many].map(count =>
        subject(`service ${count}`, () => deliverStored(place, manyOf(total, count), count)),
      ),
      ...theirs,
      subject('events', () => deliverEvents(place, total)),
    ],
    bench.options.rounds,
  )
  const reason = (peer: QueuePeer) => {
    const one = chosen.get(peer)
    return one && 'missing' in one ? one : { missing: 'not measured' }
  }
  return figures(clientRates, name => measured.get(name), reason)
}

function figures(
  clientRates: number[],
  measured: (name: string) => Measured | undefined,
  reason: (peer: QueuePeer) => Missing,
): Figure[] {
  const rateFigure = (label: string, name: string): Figure => {
    const own = measured(name) ?? { rates: [], delivered: [] }
    return { ...rateOf(label, own), detail: costs(own) }
  }
  const ours = (count: number) => measured(`service ${count}`)?.rates ?? []
  const compared = comparisons.flatMap(({ peer, count, reach }): Figure[] => {
    const name = `${peer.name} ${count}`
    const own = measured(name) ?? reason(peer)
    const label = `${peer.name}, ${countSubscriptions(count)}`
    return [
      'missing' in own ? rateOf(label, own) : rateFigure(label, name),
      ratioFigure(ratioName(peer.name, count), reach, ours(count), own),
    ]
  })
  // With one subscription every delivery has the read of its event to itself.
  const costFigure = (name: string, unit: string, reach: Reach, of: (one: Delivered) => number) => {
    const values = (measured(`service ${sharing}`)?.delivered ?? []).map(of)
    return { name, value: median(values), unit, spread: spread(values), reach }
  }
  return [
    ...[...subscriptionCounts, many].map(count =>
      rateFigure(`service, ${countSubscriptions(count)}`, `service ${count}`),
    ),
    ratioFigure(manyRatio, manyReach, ours(many), { rates: ours(50) }),
    costFigure(postgresCost, 'µs', postgresReach, one => one.postgresCpuMs * 1_000),
    costFigure(walCost, 'bytes', walReach, one => one.walBytes),
    ...compared,
    rateFigure('new events: sequenced, delivered, recorded', 'events'),
    {
      ...rateOf('a client that only posts', { rates: clientRates }),
      detail: 'to the same receiver',
    },
    ratioFigure('a client that only posts / service', undefined, clientRates, { rates: ours(1) }),
  ]
}

export const deliveryRate: Row = {
  name: 'deliveries',
  measures: 'deliveries per second over HTTPS, each recorded, against queues on PostgreSQL',
  reaches: {
    [manyRatio]: manyReach,
    [postgresCost]: postgresReach,
    [walCost]: walReach,
    ...Object.fromEntries(
      comparisons.map(({ peer, count, reach }) => [ratioName(peer.name, count), reach]),
    ),
  },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small, 'deliveries')
    return await measure({ bench, database, receiver: await openReceiver(bench) })
  },
}
