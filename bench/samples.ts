// What reads ask for: the same kinds of rows in a database of any size, found by what they are and spread over the whole table.
import { type Bench, type BenchDatabase, withSql } from './bench.ts'
import { getRequest } from './load/load.ts'
import type { Running } from './processes.ts'

const samplesMax = 100

/** Column `value` of rows in an order that has nothing to do with where they are stored. */
const statements = {
  lead: 'select id::text as value from leads',
  analysed: 'select lead_id::text as value from lead_analyses group by lead_id',
  meeting: 'select appointment_id::text as value from meeting_intelligence',
  kontakt: 'select kontakt_key as value from haushalte',
  mailKontakt: `select upper(substr(kontakt_key, 7)) as value from haushalte where kontakt_key like 'email:%'`,
  'a last name': `select distinct split_part(name, ' ', 2) as value from leads where name ~ '^[^ ]+ [^ ]{3,}$'`,
  'a whole name': `select name as value from leads where name ~ '^[^ ]+ [^ ]+$'`,
  'part of a mail address': `select substr(split_part(email, '@', 1), 3) || '@' as value from leads where length(email) > 15`,
  'a whole mail address': 'select email as value from leads where length(email) > 15',
  'digits of a number': `select right(phone, 7) as value from leads where phone ~ '[0-9]{7}$'`,
  'two letters': `select value from unnest(array['er', 'an', 'li']) as value`,
  'nothing found': `select 'xq' || value || 'zv' as value from generate_series(101, 199) as value`,
}

type Kind = keyof typeof statements

export const searchKinds = [
  'a last name',
  'a whole name',
  'part of a mail address',
  'a whole mail address',
  'digits of a number',
  'two letters',
  'nothing found',
] as const satisfies Kind[]

export type Samples = Record<Kind, string[]>

export const samplesOf = ({ url }: BenchDatabase): Promise<Samples> =>
  withSql(url, async sql => {
    const found: [string, string[]][] = []
    for (const [kind, statement] of Object.entries(statements)) {
      const rows = await sql.unsafe(
        `select value from (${statement}) as sample order by md5(value) limit ${samplesMax}`,
      )
      if (rows.length === 0) throw new Error(`the demo data has no ${kind}`)
      found.push([kind, rows.map(row => row.value as string)])
    }
    return Object.fromEntries(found) as Samples
  })

/** One service: what is asked of it by name, in turn. */
export type Side = { running: Running; database: BenchDatabase; paths: Record<string, string[]> }

const warmUpTimes = 100

/** By name and side the milliseconds of each request, one at a time and in turn of each side. */
export async function timesOf(bench: Bench, sides: Side[]): Promise<[string, number[][]][]> {
  const { rounds, quick } = bench.options
  const times = quick ? 100 : rounds * 100
  const ask = (name: string, times: number) =>
    bench.load.alternate({
      times,
      sides: sides.map(({ running, database: { keys }, paths }) => ({
        port: running.port,
        requests: Array.from({ length: times }, (_, turn) => {
          const own = paths[name] ?? []
          return getRequest(own[turn % own.length] ?? '', keys[turn % keys.length])
        }),
      })),
    })
  const measured: [string, number[][]][] = []
  for (const name of Object.keys(sides[0]?.paths ?? {})) {
    await ask(name, warmUpTimes)
    measured.push([name, await ask(name, times)])
  }
  return measured
}
