// leads: a page of 50 leads, with every check on, against PostgreSQL alone and against a bare peer.
import { queries } from '../../../src/db/queries.ts'
import type { Bench } from '../bench.ts'
import { type BenchDatabase, keysTotal } from '../databases.ts'
import { getRequest } from '../load/plan.ts'
import { startFastify } from '../peers.ts'
import { findPgbench, type PlanMode, runPgbench, writeScript } from '../pgbench.ts'
import { type Running, startBare, startService } from '../processes.ts'
import { alternateRounds, best, type Subject } from '../rounds.ts'
import type { Figure, Row } from '../row.ts'
import { median, spread } from '../statistics.ts'

const path = '/api/v1/leads?limit=50'
const connectionCounts = [8, 16, 32]
const poolSizes = [4, 8, 10]
const clientCounts = [2, 4, 8, 16]
const planModes: PlanMode[] = ['force_custom_plan', 'auto']
const permitsPerMinute = 240

const reaches = {
  'service / pgbench': { atLeast: 0.45 },
  'service / Fastify': { atLeast: 1.5 },
  'load ceiling / fastest': { atLeast: 3 },
}

type Http = Subject & { bodyBytes(): number; cpu(): number }

/** A server at the number of connections that suits it best. The search warms it up, too. */
async function openHttp(bench: Bench, name: string, running: Running, keys: string[]) {
  const requests = keys.length > 0 ? keys.map(key => getRequest(path, key)) : [getRequest(path)]
  let bodyBytes = 0
  let cpu = 0
  const rate = async (connections: number, seconds: number) => {
    const until = { seconds }
    const outcome = await bench.load.saturate({ port: running.port, connections, until, requests })
    bodyBytes = outcome.bodyBytes
    cpu = outcome.cpu
    return outcome.requests / outcome.seconds
  }
  const connections = await best(connectionCounts, count => rate(count, 1))
  bench.note(`${name}: best at ${connections} connections.`)
  return {
    name,
    measure: () => rate(connections, bench.options.seconds),
    bodyBytes: () => bodyBytes,
    cpu: () => cpu,
  } satisfies Http
}

async function bestPoolSize(bench: Bench, database: BenchDatabase): Promise<number> {
  const poolMax = await best(poolSizes, size =>
    bench.during(startFastify(database, size), async running => {
      const requests = [getRequest(path)]
      const plan = { port: running.port, connections: 16, requests }
      await bench.load.saturate({ ...plan, until: { seconds: 1 } })
      const { requests: answered, seconds } = await bench.load.saturate({
        ...plan,
        until: { seconds: 1.5 },
      })
      return answered / seconds
    }),
  )
  bench.note(`Fastify: best with a pool of ${poolMax}.`)
  return poolMax
}

async function openPgbench(bench: Bench, { url }: BenchDatabase): Promise<Subject> {
  const program = findPgbench()
  if (!program) throw new Error('there is no pgbench on the PATH or below /usr/lib/postgresql')
  const script = writeScript(queries.listLeads.file, {
    status: null,
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

type Measured = { rates: number[] } | { missing: string }

/** What cannot be opened is missing, with the reason, and the others are measured without it. */
const orMissing = <Value>(opened: Promise<Value>): Promise<Value | { missing: string }> =>
  opened.catch((error: Error) => ({ missing: error.message }))

const rateOf = (name: string, measured: Measured): Figure =>
  'missing' in measured
    ? { name, value: null, unit: '/s', detail: measured.missing }
    : { name, value: median(measured.rates), unit: '/s', spread: spread(measured.rates) }

function ratioOf(name: keyof typeof reaches, over: number[], under: Measured): Figure {
  const figure = { name, unit: '×', reach: reaches[name] }
  if ('missing' in under) return { ...figure, value: null, detail: under.missing }
  const ratios = over.map((rate, round) => rate / (under.rates[round] ?? Number.NaN))
  return { ...figure, value: median(ratios), spread: spread(ratios) }
}

function checkKeys(rates: number[]) {
  const perMinute = (Math.max(...rates) * 60) / keysTotal
  if (perMinute > permitsPerMinute)
    throw new Error(`${keysTotal} keys are too few for ${Math.max(...rates)} requests/s`)
}

async function openFastify(bench: Bench, database: BenchDatabase): Promise<Http> {
  const poolMax = await bestPoolSize(bench, database)
  return await openHttp(bench, 'Fastify', await bench.keep(startFastify(database, poolMax)), [])
}

async function measure(bench: Bench, leads: number): Promise<Figure[]> {
  const database = await bench.database(leads)
  const pgbench = await orMissing(openPgbench(bench, database))
  const fastify = await orMissing(openFastify(bench, database))
  const service = await bench.keep(startService(database))
  const own = await openHttp(bench, 'service', service, database.keys)
  const bare = await bench.keep(startBare(own.bodyBytes()))
  const ceiling = await openHttp(bench, 'load', bare, [])

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
    ratioOf('service / pgbench', ours, floor),
    ratioOf('service / Fastify', ours, theirs),
    rateOf('load ceiling', { rates: load }),
    ratioOf('load ceiling / fastest', load, { rates: fastest }),
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
