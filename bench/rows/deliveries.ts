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
import { alternateRounds, type Figure, figure, type Row, ratioFigure } from '../figures.ts'
import { startPeer } from '../peers.ts'
import { addEvents, prepareFeed } from '../subscriptions.ts'

// What other webhook servers reached on the same machine, PostgreSQL and receiver, and of the first edition's 15,200 /s.
const recorded: [server: string, perSecond: number, reach?: number][] = [
  ['Svix', 2_959, 3],
  ['Outpost', 4_209, 2.5],
  ['Convoy', 352],
]
const peerReaches: [count: number, reach: number][] = [
  [1, 0.6],
  [50, 1],
]
const many = 1_000
const counts = [1, 50, many]
const walReach = { atMost: 400 }

// The fastest of four settings on Bun and Node.js, which reaches a third of it.
const peerEnv = { NO_LOG_SUCCESS: '1', CONCURRENT_JOBS: '64', BATCH_DELAY_MS: '25' }

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

async function drainByPeer(place: Place, total: number, subscriptions: number) {
  const { bench, database, receiver } = place
  const env = { ...peerEnv, CA_FILE: receiver.caFile }
  const start = () => startPeer('graphile_worker.mjs', 'bun', '/', database, env)
  const [schema] = await withSql(
    database.url,
    sql => sql`select to_regnamespace('graphile_worker') is null as missing`,
  )
  // Its first start makes its tables.
  if (schema?.missing) await (await bench.keep(start())).stop()
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

async function measure(place: Place): Promise<Figure[]> {
  const { quick, rounds } = place.bench.options
  const total = quick ? 4_000 : 60_000
  const walBytes: number[] = []
  const subject = (name: string, drained: () => Promise<Drained>) => ({
    name,
    async measure() {
      const { rate, walBytes: bytes } = await drained()
      if (name === 'service 50') walBytes.push(bytes)
      return rate
    },
  })
  const own = counts.map(count =>
    subject(`service ${count}`, () => drainByService(place, total, count)),
  )
  const peers = peerReaches.map(([count]) =>
    subject(`peer ${count}`, () => drainByPeer(place, total, count)),
  )
  const rates = await alternateRounds([...own, ...peers], rounds)
  const ours = (count: number) => rates.get(`service ${count}`) ?? []
  const theirs = (count: number) => rates.get(`peer ${count}`) ?? []
  return [
    ...counts.map(count => figure(`subscriptions: ${count}`, ours(count), '/s')),
    ratioFigure(`subscriptions: ${many} / 50`, ours(many), ours(50), 0.7),
    ...peerReaches.flatMap(([count, reach]) => [
      figure(`graphile-worker, ${count}`, theirs(count), '/s'),
      ratioFigure(`service / graphile-worker, ${count}`, ours(count), theirs(count), reach),
    ]),
    figure('WAL per delivery, 50 subscriptions', walBytes, 'bytes', walReach),
    ...recorded.map(([server, perSecond, atLeast]) => ({
      ...ratioFigure(`service / ${server}`, ours(1), Array(rounds).fill(perSecond), atLeast),
      detail: `${perSecond.toLocaleString('en')} /s as recorded`,
    })),
  ]
}

export const deliveries: Row = {
  name: 'deliveries',
  measures: 'deliveries per second over HTTPS, each recorded, against graphile-worker',
  run: async bench => measure(await openPlace(bench)),
}
