// leads: a page of 50 leads, with every check on, against PostgreSQL alone and against a bare peer.
import { queries } from '../../src/db/queries.ts'
import type { Bench } from '../bench.ts'
import { type BenchDatabase, keysTotal } from '../databases.ts'
import {
  type Http,
  type Measured,
  openHttp,
  orMissing,
  rateOf,
  ratioFigure,
  startPeer,
} from '../http_subject.ts'
import { getRequest } from '../load/plan.ts'
import { findPgbench, type PlanMode, runPgbench, writeScript } from '../pgbench.ts'
import { startBare, startServiceProcess } from '../processes.ts'
import { fastify } from '../read_peers.ts'
import { alternateRounds, best, type Subject } from '../rounds.ts'
import type { Figure, Row } from '../row.ts'

const path = '/api/v1/leads?limit=50'
const clientCounts = [2, 4, 8, 16]
const planModes: PlanMode[] = ['force_custom_plan', 'force_generic_plan']
const permitsPerMinute = 240

const reaches = {
  'service / pgbench': { atLeast: 0.45 },
  'service / Fastify': { atLeast: 1.5 },
  'load ceiling / fastest': { atLeast: 3 },
}

async function openPgbench(bench: Bench, { url }: BenchDatabase): Promise<Subject> {
  const program = findPgbench()
  if (!program) throw new Error('there is no pgbench on the PATH or below /usr/lib/postgresql')
  const script = writeScript(queries.listLeads, {
    search: 'null',
    status: 'null',
    include_archived: 'false',
    row_limit: '50',
    row_offset: '0',
  })
  const settings = planModes.flatMap(planMode =>
    clientCounts.map(clients => ({ clients, planMode })),
  )
  const setting = await best(settings, one =>
    runPgbench(program, script, url, { ...one, seconds: 1 }),
  )
  bench.note(`pgbench: best at -c ${setting.clients}, plan_cache_mode ${setting.planMode}.`)
  const { seconds } = bench.options
  return {
    name: 'pgbench',
    measure: () => runPgbench(program, script, url, { ...setting, seconds }),
  }
}

const ratio = (name: keyof typeof reaches, over: number[], under: Measured) =>
  ratioFigure(name, reaches[name], over, under)

function checkKeys(rates: number[]) {
  const perMinute = (Math.max(...rates) * 60) / keysTotal
  if (perMinute > permitsPerMinute)
    throw new Error(`${keysTotal} keys are too few for ${Math.max(...rates)} requests/s`)
}

async function openFastify(bench: Bench, database: BenchDatabase): Promise<Http> {
  const running = await startPeer(bench, database, fastify)
  return await openHttp(bench, 'Fastify', running, [fastify.request('list', '')])
}

async function measure(bench: Bench, leads: number): Promise<Figure[]> {
  const database = await bench.database(leads)
  const pgbench = await orMissing(openPgbench(bench, database))
  const fastify = await orMissing(openFastify(bench, database))
  const service = await bench.keep(startServiceProcess(database))
  const own = await openHttp(
    bench,
    'service',
    service,
    database.keys.map(key => getRequest(path, key)),
  )
  const bare = await bench.keep(startBare(own.bodyBytes()))
  const ceiling = await openHttp(bench, 'load', bare, [getRequest('/')])

  const subjects = [own, ceiling, pgbench, fastify].filter(one => 'measure' in one)
  const figures = await alternateRounds(subjects, bench.options.rounds)
  const ratesOf = (one: Subject) => figures[subjects.indexOf(one)] ?? []
  const measured = (one: Subject | { missing: string }): Measured =>
    'measure' in one ? { rates: ratesOf(one) } : one
  const [ours, load, floor, theirs] = [
    ratesOf(own),
    ratesOf(ceiling),
    measured(pgbench),
    measured(fastify),
  ]
  checkKeys(ours)

  const size = leads.toLocaleString('en')
  bench.note(
    `${size} leads: ${own.bodyBytes()} bytes per answer; the load used ${own.cpu().toFixed(2)} of a core.`,
  )
  const theirRates = 'rates' in theirs ? theirs.rates : []
  const fastest = ours.map((rate, round) => Math.max(rate, theirRates[round] ?? 0))
  return [
    rateOf('service', { rates: ours }),
    rateOf('pgbench', floor),
    rateOf('Fastify', theirs),
    ratio('service / pgbench', ours, floor),
    ratio('service / Fastify', ours, theirs),
    rateOf('load ceiling', { rates: load }),
    ratio('load ceiling / fastest', load, { rates: fastest }),
  ].map(figure => ({ ...figure, name: `${figure.name}, ${size}` }))
}

export const leads: Row = {
  name: 'leads',
  measures: `requests/s of GET /leads, 50 per page, every check on, ${keysTotal} keys of ${permitsPerMinute} a minute`,
  reaches,
  async run(bench) {
    const { small, large } = bench.options.sizes
    const figures = await measure(bench, small)
    await bench.stopKept()
    return [...figures, ...(await measure(bench, large))]
  },
}
