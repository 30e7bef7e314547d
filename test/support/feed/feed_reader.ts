// A client of the feed as the contract wants it, and the race of writers that it is read during.
import type { Sql } from '../../../src/db/connect.ts'
import type { TestService } from '../http/service.ts'
import { until } from '../until.ts'
import { isSequenced } from './sequencing.ts'

export type ReadEvent = {
  id: string
  event_type: string
  schema_version: string
  object_type: string
  object_id: string
  links: { lead_id: string | null; session_id: string | null }
  // biome-ignore lint/suspicious/noExplicitAny: payloads of every shape
  data: any
  cursor: number
}

/** Stores next_cursor, sends it as after. */
export function feedReader(
  api: TestService,
  options: { limit?: number; types?: string; after?: number } = {},
) {
  const seen: ReadEvent[] = []
  let { after } = options
  /** Reads one page; returns how many events were on it. */
  async function readPage(): Promise<number> {
    const query = new URLSearchParams({ limit: String(options.limit ?? 200) })
    if (after !== undefined) query.set('after', String(after))
    if (options.types) query.set('types', options.types)
    const { status, body } = await api.send(`/events?${query}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    after = body.meta.next_cursor
    seen.push(...body.data)
    return body.data.length
  }
  return {
    seen,
    readPage,
    /** Reads until a page is empty. */
    async readAll() {
      while ((await readPage()) > 0);
      return seen
    },
  }
}

type FeedReader = ReturnType<typeof feedReader>

type RaceOptions = {
  writers: number
  durationMs: number
  /** A busy machine takes longer for it. */
  committedMin?: number
  /** Share of transactions held open for 0.3 to 0.8 s. */
  held: number
  rolledBack: number
}

// As much as a machine can do would be no more of a race: writers meet all the same.
const pauseMaxMs = 20

/** Every committed change by lead, in commit order. */
type Committed = Map<string, number[]>

/** One transaction, of which one in two writes another table first; whether it was committed. */
async function writeOnce(sql: Sql, lead: string, number: number, options: RaceOptions) {
  const hold = Math.random() < options.held
  const rollBack = Math.random() < options.rolledBack
  const work = sql.begin(async transaction => {
    if (Math.random() < 0.5)
      await transaction`insert into race_other (note) values (${String(number)})`
    await transaction`update leads set status = ${String(number)} where id = ${lead}`
    if (hold) await Bun.sleep(300 + Math.random() * 500)
    if (rollBack) throw new Error('rolled back on purpose')
  })
  return await work.then(
    () => true,
    error => {
      if (!rollBack) throw error
      return false
    },
  )
}

/** Every writer has a lead of its own, so the order of its own commits is known. */
export async function race(sql: Sql, options: RaceOptions): Promise<Committed> {
  await sql`create table if not exists race_other (note text)`
  const committed: Committed = new Map()
  const end = performance.now() + options.durationMs
  let total = 0
  const isOn = () => performance.now() < end || total < (options.committedMin ?? 0)
  const writer = async (lead: string) => {
    const numbers: number[] = []
    committed.set(lead, numbers)
    for (let number = 1; isOn(); number += 1) {
      if (await writeOnce(sql, lead, number, options)) {
        numbers.push(number)
        total += 1
      }
      await Bun.sleep(Math.random() * pauseMaxMs)
    }
  }
  const leads = await sql`
    insert into leads (name, status) select 'race', '0' from generate_series(1, ${options.writers}::integer) returning id`
  await Promise.all(leads.map(row => writer(row.id)))
  return committed
}

/** Reads all the time while `work` runs, and to the end afterwards. */
export async function readDuring<Result>(sql: Sql, readers: FeedReader[], work: Promise<Result>) {
  let running = true
  const reading = readers.map(async reader => {
    while (running) if ((await reader.readPage()) === 0) await Bun.sleep(5)
  })
  const result = await work.finally(() => {
    running = false
  })
  await Promise.all(reading)
  await until(() => isSequenced(sql), 10_000)
  for (const reader of readers) await reader.readAll()
  return result
}

/** Compares by lead: same numbers, same order, each once; cursors strictly ascending. What is wrong, with how much was right. */
export function judgeRace(committed: Committed, seen: ReadEvent[]) {
  const verdict = { committed: 0, lost: 0, doubled: 0, invented: 0, disordered: 0 }
  const changes = seen.filter(event => event.event_type === 'lead.stage_changed')
  for (const [lead, numbers] of committed) {
    const read = changes
      .filter(event => event.object_id === lead)
      .map(event => Number(event.data.status_after))
    verdict.committed += numbers.length
    verdict.lost += numbers.filter(number => !read.includes(number)).length
    verdict.invented += read.filter(number => !numbers.includes(number)).length
    verdict.doubled += read.length - new Set(read).size
    verdict.disordered += read.filter((number, index) => number <= (read[index - 1] ?? -1)).length
  }
  verdict.disordered += seen.filter(
    (event, index) => event.cursor <= (seen[index - 1]?.cursor ?? 0),
  ).length
  verdict.doubled += seen.length - new Set(seen.map(event => event.id)).size
  return verdict
}

export const countOf = (committed: Committed): number => [...committed.values()].flat().length

/** What a race comes to where nothing is wrong. */
export const flawless = (committed: Committed) => ({
  ...{ committed: countOf(committed), lost: 0, doubled: 0, invented: 0, disordered: 0 },
})
