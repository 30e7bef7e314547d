// income: what the rule about raw income costs a writer, inside PostgreSQL, for a whole analysis of 42 rows.
import type { Bench } from '../bench.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, spread } from '../statistics.ts'

const runsPerRound = 40

type Kind = { name: string; atMost: number; document: string }

const analysis = `
  select analysis_v2 || jsonb_build_object('din_check', din_check)
  from lead_analyses
  where jsonb_array_length(din_check #> '{bewertung,zeilen}') = 42 and length(analysis_v2::text) < 50000
  order by length(analysis_v2::text) + length(din_check::text) desc
  limit 1`

const income = `'{"einnahmen": [{"art": "Gehalt", "betrag": 3200}], "notiz": "Verdient 3.200 EUR netto.", "gehalt": 3200}'::jsonb`

const kinds: Kind[] = [
  // The demo's texts name the minimum wage and kinds of pensions, and persons: all that is replaced here.
  {
    name: 'no word of income',
    atMost: 1,
    document: `select regexp_replace(document::text, 'einkommen|netto|lohn|rente|beziehung|personen|gehalt|unterhalt|pension|zuschlag', 'wort', 'gi')::jsonb from (${analysis}) as found (document)`,
  },
  { name: 'no income', atMost: 5, document: analysis },
  {
    name: 'an income in four places',
    atMost: 5,
    document: `select document || ${income} from (${analysis}) as found (document)`,
  },
  {
    name: 'a text of 1 MB',
    atMost: 500,
    document: `select to_jsonb(repeat('Der Vertrag deckt 3.000.000 EUR. ', 30000) || 'Das Gehalt ist 3.200 EUR.')`,
  },
]

/** Milliseconds per document. Timed by the server, so that nothing is measured but the rule. */
async function timesOf(bench: Bench, url: string, { document }: Kind): Promise<[number[], number]> {
  return await withSql(url, async sql => {
    await sql.unsafe(
      `create temporary table given as select document from (${document}) as made (document)`,
    )
    const [size] = await sql`select length(document::text) as characters from given`
    const runs = Number(size?.characters) > 500_000 ? 2 : runsPerRound
    const times: number[] = []
    for (let round = 0; round <= bench.options.rounds; round += 1) {
      const [row] = await sql.unsafe(
        `with began as materialized (select clock_timestamp() as at),
          cleaned as materialized (select count(redact_income(document)) from began, given, generate_series(1, ${runs}) as run where run > 0)
        select extract(epoch from clock_timestamp() - at) * 1000 / ${runs} as milliseconds from began, cleaned`,
      )
      // The first round of a session loads the functions and their patterns.
      if (round > 0) times.push(Number(row?.milliseconds))
    }
    return [times, Number(size?.characters)]
  })
}

export const incomeRule: Row = {
  name: 'income',
  measures: 'milliseconds that the rule about raw income takes for one document',
  reaches: Object.fromEntries(kinds.map(({ name, atMost }) => [name, { atMost }])),
  async run(bench) {
    const { url } = await bench.database(bench.options.sizes.small)
    const figures: Figure[] = []
    for (const kind of kinds) {
      const [times, characters] = await timesOf(bench, url, kind)
      figures.push({
        name: kind.name,
        value: median(times),
        unit: 'ms',
        spread: spread(times),
        reach: { atMost: kind.atMost },
        detail: `${characters.toLocaleString('en')} characters`,
      })
    }
    return figures
  },
}
