// A page of contacts costs a page: with as many aliases as records, and with records that stand under aliases.
import { beforeAll, expect, test } from 'bun:test'
import { asJson } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()
const pageBuffersMax = 600

beforeAll(async () => {
  await database.sql.unsafe(`
    alter table haushalte disable trigger user;
    insert into haushalte (kontakt_key, haushalt, updated_at)
    select 'email:' || number || '@example.org', '{}', timestamptz '2026-01-01' + number * interval '1 second'
    from generate_series(1, 5000) as number;
    insert into kontakt_aliases (alias_key, canonical_key)
    select 'phone:+49199' || lpad(number::text, 8, '0'), 'email:' || number || '@example.org'
    from generate_series(1, 5000) as number;
    insert into haushalte (kontakt_key, haushalt, updated_at)
    select 'phone:+49199' || lpad(number::text, 8, '0'), '{}', timestamptz '2027-01-01'
    from generate_series(1, 30) as number`)
  await database.sql.unsafe('vacuum analyze haushalte, kontakt_aliases')
})

test('the first page of contacts is read along haushalte_updated_idx', async () => {
  const [row] = await database.sql.unsafe(
    `explain (analyze, buffers, format json) ${asJson(queries.listKontakte)}`,
    [50, 0],
    { prepare: true },
  )
  const text = row?.['QUERY PLAN']
  const [explained] = JSON.parse(text)
  expect(text).toContain('haushalte_updated_idx')
  expect(text).not.toMatch(/"Seq Scan"|"Hash"/)
  expect(explained.Plan['Shared Hit Blocks'] + explained.Plan['Shared Read Blocks']).toBeLessThan(
    pageBuffersMax,
  )
})
