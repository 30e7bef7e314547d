// reads: a page, searches and one lead, of the service with every check on and of peers without any.
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import {
  type Http,
  type Measured,
  type Missing,
  openHttp,
  orMissing,
  rateOf,
  ratioFigure,
  startPeer,
} from '../http_subject.ts'
import { getRequest } from '../load/plan.ts'
import { type Running, startBare, startServiceProcess } from '../processes.ts'
import type { ReadKind, ReadPeer } from '../read_peer.ts'
import { readPeers, restPaths } from '../read_peers.ts'
import { alternateRounds } from '../rounds.ts'
import type { Figure, Reach, Row } from '../row.ts'
import { samplesOf, searchKinds } from '../samples.ts'
import { withSql } from '../session.ts'

type Question = { name: string; kind: ReadKind }

const searchReach = { atLeast: 1.2 }
const ceilingReach = { atLeast: 3 }
const questions: Question[] = [
  { name: 'page of 50', kind: 'list' },
  ...Object.keys(searchKinds).map(name => ({ name: `search, ${name}`, kind: 'search' as const })),
  { name: 'one lead', kind: 'one' },
]
const ratioName = (peer: string, { name }: Question) => `service / ${peer}, ${name}`
const ceilingName = ({ name }: Question) => `load ceiling / fastest, ${name}`
const reachOf = ({ reach }: ReadPeer, { kind }: Question): Reach | undefined =>
  kind === 'search' ? searchReach : reach

/** What is asked for in turn, by question: texts in search form, and ids. */
async function valuesOf({ url }: BenchDatabase): Promise<Record<string, string[]>> {
  return await withSql(url, async sql => {
    const samples = await samplesOf(sql)
    const values: Record<string, string[]> = { 'page of 50': [''], 'one lead': samples.lead }
    for (const [name, kind] of Object.entries(searchKinds)) {
      const rows = await sql`
        select search_form(given.text) as text
        from jsonb_array_elements_text(${JSON.stringify(samples[kind])}::text::jsonb) as given (text)`
      values[`search, ${name}`] = rows.map(row => row.text as string)
    }
    return values
  })
}

type Absent = Missing & { name: string }
type Side = { name: string; running: Running; requests(question: Question): string[] }

async function openSides(bench: Bench, database: BenchDatabase): Promise<(Side | Absent)[]> {
  const values = await valuesOf(database)
  const openPeer = async (peer: ReadPeer): Promise<Side> => ({
    name: peer.name,
    running: await startPeer(bench, database, peer),
    requests: ({ name, kind }) => (values[name] ?? []).map(value => peer.request(kind, value)),
  })
  const service: Side = {
    name: 'service',
    running: await bench.keep(startServiceProcess(database)),
    requests: ({ name, kind }) => {
      const own = values[name] ?? []
      return database.keys.map((key, turn) =>
        getRequest(restPaths[kind](own[turn % own.length] ?? ''), key),
      )
    },
  }
  const sides: (Side | Absent)[] = [service]
  for (const peer of readPeers)
    sides.push({ name: peer.name, ...(await orMissing(openPeer(peer))) })
  return sides
}

async function measureQuestion(
  bench: Bench,
  sides: (Side | Absent)[],
  question: Question,
): Promise<Figure[]> {
  const opened: (Http | Absent)[] = []
  for (const side of sides) {
    const name = `${side.name}, ${question.name}`
    const http =
      'missing' in side
        ? side
        : orMissing(openHttp(bench, name, side.running, side.requests(question)))
    opened.push({ ...(await http), name: side.name })
  }
  const [service] = opened
  if (!service || 'missing' in service) throw new Error(`the service: ${service?.missing}`)
  const bare = await bench.keep(startBare(service.bodyBytes()))
  const ceiling = await openHttp(bench, 'load', bare, [getRequest('/')])
  const subjects = [...opened.filter(one => 'measure' in one), ceiling]
  const rates = await alternateRounds(subjects, bench.options.rounds)
  const measured = (one: Http | Missing): Measured =>
    'missing' in one ? one : { rates: rates[subjects.indexOf(one)] ?? [] }
  const ours = rates[0] ?? []
  const fastest = ours.map((_, round) =>
    Math.max(...rates.slice(0, -1).map(own => own[round] ?? 0)),
  )
  return [
    ...opened.map(one => rateOf(`${one.name}, ${question.name}`, measured(one))),
    ...readPeers.map((peer, index) => {
      const theirs = opened[index + 1] ?? { missing: 'not opened' }
      const name = ratioName(peer.name, question)
      return ratioFigure(name, reachOf(peer, question), ours, measured(theirs))
    }),
    rateOf(`load ceiling, ${question.name}`, measured(ceiling)),
    ratioFigure(ceilingName(question), ceilingReach, rates.at(-1) ?? [], { rates: fastest }),
  ]
}

export const reads: Row = {
  name: 'reads',
  measures:
    'requests/s of a page, searches of every kind and one lead, against peers without any checks',
  reaches: Object.fromEntries(
    questions.flatMap(question => [
      ...readPeers.flatMap(peer => {
        const reach = reachOf(peer, question)
        return reach ? [[ratioName(peer.name, question), reach]] : []
      }),
      [ceilingName(question), ceilingReach],
    ]),
  ),
  async run(bench) {
    const database = await bench.database(bench.options.sizes.large, 'reads')
    const sides = await openSides(bench, database)
    const figures: Figure[] = []
    for (const question of questions)
      figures.push(...(await measureQuestion(bench, sides, question)))
    bench.note(
      `reads: ${bench.options.sizes.large.toLocaleString('en')} leads. Hono and Fastify send the service's statements; PostGraphile and Directus search by its index.`,
    )
    return figures
  },
}
