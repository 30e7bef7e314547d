// reads: a page, one lead and searches. Rates of the service with every check on, against peers without any and against
// PostgreSQL alone; and how long a search takes in a large database.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { queries } from '../../src/db/queries.ts'
import type { Bench, BenchDatabase } from '../bench.ts'
import {
  alternateRounds,
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

// Of servers and of pgbench.
const connections = 16
const warmUpSeconds = 2

/** Statements per second of pgbench: what PostgreSQL alone gives, asked as the service asks. */
async function pgbenchRate({ url }: BenchDatabase, seconds: number): Promise<number> {
  const program = Bun.which('pgbench')
  if (!program) throw new Error('there is no pgbench on the PATH')
  const { statement } = queries.listLeads
  const values = ['null::text', 'null::text', 'false', '50', '0']
  const filled = statement.replace(/\$(\d)/g, (_, number) => values[number - 1] ?? '')
  const script = join(benchDir, 'list_leads.pgbench')
  writeFileSync(script, `select coalesce(json_agg("row"), '[]') from (${filled}) as "row";\n`)
  const args = `-n -M prepared -c ${connections / 2} -j 2 -T ${Math.ceil(seconds)} -f ${script}`
  const child = Bun.spawnSync([program, ...args.split(' '), url], {
    env: { PGOPTIONS: '-c jit=off' },
    stderr: 'pipe',
  })
  const found = /tps = ([\d.]+)/.exec(child.stdout.toString())?.[1]
  if (found === undefined) throw new Error(`pgbench: ${child.stderr}`)
  return Number(found)
}

type Server = {
  name: string
  port: number
  request(kind: ReadKind, value: string, turn: number): string
}

async function openServers(bench: Bench, database: BenchDatabase): Promise<Server[]> {
  const { port } = await bench.keep(startServiceProcess(database))
  const { keys } = database
  const service: Server = {
    name: 'service',
    port,
    request: (kind, value, turn) => getRequest(restPaths[kind](value), keys[turn % keys.length]),
  }
  const servers = [service]
  for (const { name, start, request } of readPeers)
    servers.push({ name, port: (await bench.keep(start(database))).port, request })
  return servers
}

async function ratesOf(
  { options: { quick, rounds, seconds }, load }: Bench,
  database: BenchDatabase,
  servers: Server[],
  { name, kind, reaches }: Question,
  values: string[],
): Promise<Figure[]> {
  const subjects: Subject[] = []
  for (const { name, port, request } of servers) {
    // Each key in turn, and each value many times.
    const requests = database.keys.map((_, turn) =>
      request(kind, values[turn % values.length] ?? '', turn),
    )
    const rate = (seconds: number) =>
      load.saturate({ port, connections, until: { seconds }, requests })
    await rate(quick ? seconds : warmUpSeconds)
    subjects.push({ name, measure: () => rate(seconds) })
  }
  if (kind === 'list')
    subjects.push({ name: 'pgbench', measure: () => pgbenchRate(database, seconds) })
  const rates = await alternateRounds(subjects, rounds)
  const ours = rates.get('service') ?? []
  return [...rates].map(([peer, theirs]) =>
    peer === 'service'
      ? figure(`${name}, service`, theirs, '/s')
      : {
          ...ratioFigure(`${name}, service / ${peer}`, ours, theirs, reaches[peer]),
          detail: `${peer} ${Math.round(median(theirs)).toLocaleString('en')} /s`,
        },
  )
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
  const running = await bench.keep(startServiceProcess(database))
  const paths = Object.fromEntries(
    searchKinds.map(name => [name, samples[name].map(restPaths.search)]),
  )
  const measured = await timesOf(bench, [{ running, database, paths }])
  return measured.map(([name, [times = []]]) => ({
    name: `${name}, p50 of a search in ${leads.toLocaleString('en')}`,
    value: median(times),
    unit: 'ms',
    reach: searchReach(name, leads === bench.options.sizes.large),
    detail: `p95 ${quantile(times, 0.95).toFixed(2)} ms`,
  }))
}

export const reads: Row = {
  name: 'reads',
  measures: 'a page, one lead and searches, against pgbench, Fastify, Hono and PostGraphile',
  async run(bench) {
    const { medium, large } = bench.options.sizes
    // PostGraphile gets functions of its own.
    const database = await bench.database(medium, 'reads')
    const samples = await samplesOf(database)
    const servers = await openServers(bench, database)
    const figures: Figure[] = []
    for (const question of questions) {
      const values = question.values(samples)
      figures.push(...(await ratesOf(bench, database, servers, question, values)))
    }
    await bench.stopKept()
    for (const leads of [medium, large]) figures.push(...(await searchFigures(bench, leads)))
    return figures
  },
}
