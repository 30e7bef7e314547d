// deliveries: how many are sent and recorded per second, against graphile-worker with the same events to the same receivers.
import type { Sql } from '../../src/db/connect.ts'
import { withSql } from '../bench.ts'
import {
  type Drained,
  drain,
  drainByService,
  openPlace,
  type Place,
  subscribeAll,
} from '../delivering.ts'
import { alternateRounds, best, type Figure, figure, type Row, ratioFigure } from '../figures.ts'
import { type Runtime, startPeer } from '../peers.ts'
import { addEvents, countSubscriptions, prepareFeed } from '../subscriptions.ts'

// What was recorded on the same machine, PostgreSQL and receiver, beside a first edition of the service with 15,200 /s.
const recorded = { Svix: 2_959, Outpost: 4_209, Convoy: 352 }
const recordedReaches: Record<string, number> = { Svix: 3, Outpost: 2.5 }
const peerReaches: [count: number, reach: number][] = [
  [1, 0.6],
  [50, 1],
]
const many = 1_000
const walReach = { atMost: 400 }

type Setting = { runtime: Runtime; jobs: number; delayMs: number }
const settings: [Setting, ...Setting[]] = [
  { runtime: 'bun', jobs: 64, delayMs: 25 },
  { runtime: 'bun', jobs: 24, delayMs: 0 },
  { runtime: 'node', jobs: 64, delayMs: 25 },
]

/** The deliveries that wait, as its work: the same events to the same subscriptions in the same order. */
async function queueForPeer(sql: Sql) {
  await sql`truncate graphile_worker._private_jobs`
  await sql`
    select count(*) from graphile_worker.add_jobs((
      select array_agg(
        row('deliver', json_build_object('url', target_url, 'event', row_to_json(feed_events)),
          null, null, 5, null, 0, null)::graphile_worker.job_spec
        order by feed_events.cursor, hook_subscriptions.id)
      from feed_events cross join hook_subscriptions))`
  await sql`vacuum (analyze) graphile_worker._private_jobs`
  await sql`checkpoint`
}

async function drainByPeer(place: Place, total: number, subscriptions: number, setting: Setting) {
  const { bench, database, receiver } = place
  const { runtime, jobs, delayMs } = setting
  const start = () =>
    startPeer('graphile_worker.mjs', runtime, '/', database, {
      NO_LOG_SUCCESS: '1',
      CA_FILE: receiver.caFile,
      NODE_EXTRA_CA_CERTS: receiver.caFile,
      CONCURRENT_JOBS: String(jobs),
      BATCH_DELAY_MS: String(delayMs),
    })
  const [schema] = await withSql(
    database.url,
    sql => sql`select to_regnamespace('graphile_worker') is null as missing`,
  )
  // Its first start makes its tables.
  if (schema?.missing) await bench.during(start(), async () => {})
  await prepareFeed(database, async sql => {
    await subscribeAll(sql, place, subscriptions)
    await addEvents(sql, total / subscriptions)
    await queueForPeer(sql)
  })
  return await drain(place, {
    total,
    start,
    isDone: async sql =>
      (await sql`select from graphile_worker._private_jobs limit 1`).length === 0,
  })
}

const recordedFigures = (ours: readonly number[]): Figure[] =>
  Object.entries(recorded).map(([name, rate]) => {
    const reach = recordedReaches[name]
    return {
      ...ratioFigure(
        `service / ${name}`,
        ours,
        ours.map(() => rate),
        reach ? { atLeast: reach } : undefined,
      ),
      detail: `${rate.toLocaleString('en')} /s as recorded`,
    }
  })

async function measure(place: Place): Promise<Figure[]> {
  const { quick, rounds } = place.bench.options
  const total = quick ? 4_000 : 60_000
  const setting = quick
    ? settings[0]
    : await best(settings, async one => (await drainByPeer(place, 8_000, 1, one)).rate)
  place.bench.note(
    `deliveries: ${total} a round; graphile-worker on ${setting.runtime}, ${setting.jobs} at once, batches of ${setting.delayMs} ms.`,
  )
  const walBytes: number[] = []
  const subject = (name: string, drained: () => Promise<Drained>) => ({
    name,
    async measure() {
      const { rate, walBytes: bytes } = await drained()
      if (name === 'service 50') walBytes.push(bytes)
      return rate
    },
  })
  const rates = await alternateRounds(
    [
      ...[1, 50, many].map(count =>
        subject(`service ${count}`, () => drainByService(place, total, count)),
      ),
      ...peerReaches.map(([count]) =>
        subject(`peer ${count}`, () => drainByPeer(place, total, count, setting)),
      ),
    ],
    rounds,
  )
  const ours = (count: number) => rates.get(`service ${count}`) ?? []
  const theirs = (count: number) => rates.get(`peer ${count}`) ?? []
  return [
    ...[1, 50, many].map(count => figure(countSubscriptions(count), ours(count), '/s')),
    ratioFigure(`${countSubscriptions(many)} / 50`, ours(many), ours(50), { atLeast: 0.7 }),
    ...peerReaches.flatMap(([count, reach]) => [
      figure(`graphile-worker, ${countSubscriptions(count)}`, theirs(count), '/s'),
      ratioFigure(
        `service / graphile-worker, ${countSubscriptions(count)}`,
        ours(count),
        theirs(count),
        { atLeast: reach },
      ),
    ]),
    figure('WAL per delivery, 50 subscriptions', walBytes, 'bytes', walReach),
    ...recordedFigures(ours(1)),
  ]
}

export const deliveries: Row = {
  name: 'deliveries',
  measures: 'deliveries per second over HTTPS, each recorded, against graphile-worker',
  run: async bench => measure(await openPlace(bench)),
}
