// reads: a page, a search and one lead, of the service with every check on and of peers without any.
import type { Bench } from '../bench.ts'
import { type BenchDatabase, withSql } from '../databases.ts'
import {
  type Http,
  type Measured,
  type Missing,
  openHttp,
  orMissing,
  rateOf,
  ratioOf,
  startPeer,
} from '../http_subject.ts'
import { getRequest } from '../load/plan.ts'
import { type Running, startBare, startService } from '../processes.ts'
import type { ReadKind, ReadPeer } from '../read_peer.ts'
import { readPeers, restPaths } from '../read_peers.ts'
import { alternateRounds } from '../rounds.ts'
import type { Figure, Row } from '../row.ts'
import { samplesOf } from '../samples.ts'

const kinds: Record<ReadKind, string> = { list: 'page of 50', search: 'search', one: 'one lead' }
const ceilingReach = { atLeast: 3 }
const ratioName = (peer: string, kind: ReadKind) => `service / ${peer}, ${kinds[kind]}`
const ceilingName = (kind: ReadKind) => `load ceiling / fastest, ${kinds[kind]}`
const kindNames = Object.keys(kinds) as ReadKind[]

/** What is asked for in turn: rare names in search form, and ids. */
async function valuesOf({ url }: BenchDatabase): Promise<Record<ReadKind, string[]>> {
  return await withSql(url, async sql => {
    const { rareName, lead } = await samplesOf(sql)
    const rows = await sql`
      select search_form(name) as text from jsonb_array_elements_text(${JSON.stringify(rareName)}::text::jsonb) as name`
    return { list: [''], search: rows.map(row => row.text as string), one: lead }
  })
}

type Absent = Missing & { name: string }
type Side = { name: string; running: Running; requests(kind: ReadKind): string[] }

async function openSides(bench: Bench, database: BenchDatabase): Promise<(Side | Absent)[]> {
  const values = await valuesOf(database)
  const openPeer = async (peer: ReadPeer): Promise<Side> => ({
    name: peer.name,
    running: await startPeer(bench, database, peer),
    requests: kind => values[kind].map(value => peer.request(kind, value)),
  })
  const service: Side = {
    name: 'service',
    running: await bench.keep(startService(database)),
    requests: kind =>
      database.keys.map((key, turn) =>
        getRequest(restPaths[kind](values[kind][turn % values[kind].length] ?? ''), key),
      ),
  }
  const sides: (Side | Absent)[] = [service]
  for (const peer of readPeers)
    sides.push({ name: peer.name, ...(await orMissing(openPeer(peer))) })
  return sides
}

async function measureKind(
  bench: Bench,
  sides: (Side | Absent)[],
  kind: ReadKind,
): Promise<Figure[]> {
  const opened: (Http | Absent)[] = []
  for (const side of sides) {
    const name = `${side.name}, ${kinds[kind]}`
    const http =
      'missing' in side ? side : orMissing(openHttp(bench, name, side.running, side.requests(kind)))
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
    ...opened.map(one => rateOf(`${one.name}, ${kinds[kind]}`, measured(one))),
    ...readPeers.map(({ name, reach }, index) => {
      const peer = opened[index + 1] ?? { missing: 'not opened' }
      return ratioOf(ratioName(name, kind), reach, ours, measured(peer))
    }),
    rateOf(`load ceiling, ${kinds[kind]}`, measured(ceiling)),
    ratioOf(ceilingName(kind), ceilingReach, rates.at(-1) ?? [], { rates: fastest }),
  ]
}

export const reads: Row = {
  name: 'reads',
  measures:
    'requests/s of a page, a search for a rare name and one lead, against peers without any checks',
  reaches: Object.fromEntries(
    kindNames.flatMap(kind => [
      ...readPeers.flatMap(({ name, reach }) => (reach ? [[ratioName(name, kind), reach]] : [])),
      [ceilingName(kind), ceilingReach],
    ]),
  ),
  async run(bench) {
    const database = await bench.database(bench.options.sizes.large, 'reads')
    const sides = await openSides(bench, database)
    const figures: Figure[] = []
    for (const kind of kindNames) figures.push(...(await measureKind(bench, sides, kind)))
    bench.note(
      `reads: ${bench.options.sizes.large.toLocaleString('en')} leads, all with the same indexes.`,
    )
    return figures
  },
}
