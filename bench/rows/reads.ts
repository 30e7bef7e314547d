// reads: a page, one lead and searches. Rates of the service with every check on, against peers without any and against
// PostgreSQL alone; and how long a search takes in a large database.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queries } from '../../src/db/queries.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import type { Bench, BenchDatabase } from '../bench.ts'
import {
  alternateRounds,
  best,
  type Figure,
  figure,
  median,
  quantile,
  type Reach,
  type Row,
  ratioFigure,
  type Subject,
} from '../figures.ts'
import { getRequest } from '../load/load.ts'
import { type ReadKind, readPeers, restPaths } from '../peers.ts'
import { benchDir, startServiceProcess } from '../processes.ts'
import { type Samples, samplesOf, searchKinds, timesOf } from '../samples.ts'

type Question = {
  name: string
  kind: ReadKind
  values(samples: Samples): string[]
  /** By the peer's name, what the service over the peer has to be. */
  reaches: Record<string, number>
}

const questions: Question[] = [
  {
    name: 'page of 50',
    kind: 'list',
    values: () => [''],
    reaches: { pgbench: 0.5, Fastify: 2, Hono: 1.4, PostGraphile: 3 },
  },
  {
    name: 'one lead',
    kind: 'one',
    values: ({ lead }) => lead,
    reaches: { Fastify: 1.1, Hono: 1.1 },
  },
  ...searchKinds.map(name => ({
    name,
    kind: 'search' as const,
    values: (samples: Samples) => samples[name],
    reaches: { Fastify: 0.9, Hono: 0.9 },
  })),
]

const connectionCounts = [16, 8, 32] as const

/** A server under as much load as it takes, at the number of connections that suits it best; the search warms it up, too. */
async function loaded(bench: Bench, name: string, port: number, requests: string[]) {
  const { quick, seconds } = bench.options
  const rate = (connections: number, seconds: number) =>
    bench.load.saturate({ port, connections, until: { seconds }, requests })
  const connections = quick ? 16 : await best(connectionCounts, count => rate(count, 1))
  if (quick) await rate(connections, seconds)
  return { name, measure: () => rate(connections, seconds) }
}

type Setting = { mode: 'prepared' | 'extended'; clients: number }
const settings: [Setting, ...Setting[]] = [
  { mode: 'prepared', clients: 8 },
  { mode: 'extended', clients: 8 },
  { mode: 'prepared', clients: 4 },
]

/** Statements per second of pgbench: what PostgreSQL alone gives, in the form in which the service asks. */
async function openPgbench(
  bench: Bench,
  { url }: BenchDatabase,
  file: QueryFile,
  values: string[],
): Promise<Subject> {
  const program = Bun.which('pgbench')
  if (!program) throw new Error('there is no pgbench on the PATH')
  const statement = file.statement.replace(/\$(\d)/g, (_, number) => values[number - 1] ?? '')
  const script = join(benchDir, `${file.name}.pgbench`)
  writeFileSync(
    script,
    `select count(*), coalesce(json_agg("row"), '[]') from (${statement}) as "row";\n`,
  )
  const rate = async ({ mode, clients }: Setting, seconds: number) => {
    const whole = Math.max(1, Math.round(seconds))
    const args = `-n -M ${mode} -c ${clients} -j 2 -T ${whole} -f ${script}`.split(' ')
    const child = Bun.spawn([program, ...args, url], {
      env: { PGOPTIONS: '-c jit=off' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = await new Response(child.stdout).text()
    const found = /tps = ([\d.]+)/.exec(output)?.[1]
    if (found === undefined) throw new Error(await new Response(child.stderr).text())
    return Number(found)
  }
  const setting = await best(settings, one => rate(one, 1))
  return { name: 'pgbench', measure: () => rate(setting, bench.options.seconds) }
}

type Server = {
  name: string
  port: number
  request(kind: ReadKind, value: string, turn: number): string
}

/** The service and its peers; a peer that cannot start is a figure that is missed. */
async function openServers(bench: Bench, database: BenchDatabase) {
  const { port } = await bench.keep(startServiceProcess(database))
  const { keys } = database
  const service: Server = {
    name: 'service',
    port,
    request: (kind, value, turn) => getRequest(restPaths[kind](value), keys[turn % keys.length]),
  }
  const servers = [service]
  const missing: Figure[] = []
  for (const { name, start, request } of readPeers)
    try {
      servers.push({ name, port: (await bench.keep(start(database))).port, request })
    } catch (error) {
      missing.push({ name, value: null, unit: '/s', detail: (error as Error).message })
    }
  return { servers, missing }
}

async function ratesOf(
  bench: Bench,
  database: BenchDatabase,
  servers: Server[],
  samples: Samples,
  { name, kind, values, reaches }: Question,
): Promise<Figure[]> {
  const own = values(samples)
  const subjects: Subject[] = []
  for (const server of servers) {
    // Each key in turn.
    const requests = Array.from(
      { length: server.name === 'service' ? 2_000 : own.length },
      (_, turn) => server.request(kind, own[turn % own.length] ?? '', turn),
    )
    subjects.push(await loaded(bench, server.name, server.port, requests))
  }
  if (kind === 'list')
    subjects.push(
      await openPgbench(bench, database, queries.listLeads, [
        'null::text',
        'null::text',
        'false',
        '50',
        '0',
      ]),
    )
  const rates = await alternateRounds(subjects, bench.options.rounds)
  const ours = rates.get('service') ?? []
  return [...rates].map(([peer, theirs]) => {
    if (peer === 'service') return figure(`${name}, service`, theirs, '/s')
    const reach = reaches[peer]
    return {
      ...ratioFigure(
        `${name}, service / ${peer}`,
        ours,
        theirs,
        reach ? { atLeast: reach } : undefined,
      ),
      detail: `${peer} ${Math.round(median(theirs)).toLocaleString('en')} /s`,
    }
  })
}

/** A text of two letters has no trigram, so it has no figure to reach. */
function searchReach(name: string, isLarge: boolean): Reach | undefined {
  if (name === 'two letters') return undefined
  if (!isLarge) return { atMost: 3 }
  return { atMost: name === 'a whole mail address' ? 30 : 10 }
}

async function searchFigures(bench: Bench, leads: number): Promise<Figure[]> {
  const database = await bench.database(leads)
  const samples = await samplesOf(database)
  return await bench.during(startServiceProcess(database), async running => {
    const paths = Object.fromEntries(
      searchKinds.map(name => [name, samples[name].map(restPaths.search)]),
    )
    const measured = await timesOf(bench, [{ running, database, paths }])
    return [...measured].map(([name, [times = []]]) => ({
      name: `${name}, p50 of a search in ${leads.toLocaleString('en')}`,
      value: median(times),
      unit: 'ms',
      reach: searchReach(name, leads === bench.options.sizes.large),
      detail: `p95 ${quantile(times, 0.95).toFixed(2)} ms`,
    }))
  })
}

export const reads: Row = {
  name: 'reads',
  measures: 'a page, one lead and searches, against pgbench, Fastify, Hono and PostGraphile',
  async run(bench) {
    const { medium, large } = bench.options.sizes
    // PostGraphile gets functions of its own.
    const database = await bench.database(medium, 'reads')
    const samples = await samplesOf(database)
    const { servers, missing } = await openServers(bench, database)
    const figures = missing
    for (const question of questions)
      figures.push(...(await ratesOf(bench, database, servers, samples, question)))
    await bench.stopKept()
    for (const leads of [medium, large]) figures.push(...(await searchFigures(bench, leads)))
    return figures
  },
}
