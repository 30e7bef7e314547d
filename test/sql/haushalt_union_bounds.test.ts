// What a merge of two large household records costs. Told by growth, because a busy machine is slow at every size.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

/** Two records of as many fields as given, each with a provenance of its own. */
const record = (fields: number, side: number) => {
  const names = Array.from({ length: fields }, (_, index) => `feld_${index}`)
  return {
    kontakt_key: 'email:erika@example.org',
    haushalt: { kunde: Object.fromEntries(names.map((name, index) => [name, index + side])) },
    provenance: Object.fromEntries(
      names.map((name, index) => [
        `kunde.${name}`,
        { stand: `202${(index + side) % 2}-01-01T00:00:00Z`, quelle: side },
      ]),
    ),
  }
}

/** Milliseconds, the best of five. */
async function timeOf(fields: number): Promise<number> {
  const records = JSON.stringify([record(fields, 0), record(fields, 1)])
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round += 1) {
    const [row] = await database.sql.unsafe(
      `with given as materialized (
        select jsonb_populate_record(null::haushalte, $1::text::jsonb -> 0) as mine, jsonb_populate_record(null::haushalte, $1::text::jsonb -> 1) as theirs, clock_timestamp() as since
      ),
      united as materialized (select since, unite_haushalte(mine, theirs) as record from given)
      select extract(epoch from clock_timestamp() - since) * 1000 as milliseconds,
        (select sum(value::integer) from jsonb_each_text((record).haushalt -> 'kunde')) as total
      from united`,
      [records],
    )
    // Of every second field the other record has the newer value, which is larger by one.
    expect(Number(row?.total)).toBe((fields * (fields - 1)) / 2 + fields / 2)
    best = Math.min(best, Number(row?.milliseconds))
  }
  return best
}

test('twice the fields take about twice the time, and 400 take milliseconds', async () => {
  await timeOf(10)
  let small = Number.POSITIVE_INFINITY
  let large = Number.POSITIVE_INFINITY
  // A busy machine may slow down one of them: the best of what it takes until they fit.
  for (let round = 0; round < 8 && !(large / small < 8); round += 1) {
    small = Math.min(small, await timeOf(200))
    large = Math.min(large, await timeOf(800))
  }
  // 4 where every field looks up its own moment, 14 where it looks through all of them.
  expect(large / small).toBeLessThan(8)
  expect(await timeOf(400)).toBeLessThan(400)
}, 60_000)
