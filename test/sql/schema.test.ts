// sql/schema.sql is what a DBA reads first, so it has what the migrations make.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dumpSchema } from '../../scripts/write_schema.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { sqlDir } from './query_files.ts'

const migrated = useDatabase()

const committed = readFileSync(join(sqlDir, 'schema.sql'), 'utf8')

test('schema.sql describes the migrated database; bun run schema writes it anew', async () => {
  expect(await dumpSchema(migrated.sql)).toBe(committed)
})

test('schema.sql holds no character that cannot be seen', () => {
  expect(committed).not.toMatch(/(?!\n)\p{Cc}/u)
})

const changes: [what: string, statement: string][] = [
  ['a column', 'alter table leads add column nickname text'],
  ['a column that may be null', 'alter table leads alter column status drop not null'],
  ['a default', "alter table leads alter column status set default 'old'"],
  ['a check', 'alter table leads drop constraint leads_status_check'],
  ['a foreign key', 'alter table signals drop constraint signals_lead_id_fkey'],
  ['an index', 'drop index leads_active_idx'],
  ['a trigger', 'drop trigger api_keys_changed on api_keys'],
  ['when a trigger runs', 'alter table leads enable trigger leads_documents'],
  ['a comment', 'comment on column leads.name is null'],
  ['a domain', 'alter domain score drop constraint score_check'],
  ['a function', 'drop function meeting_results'],
  ['a function’s volatility', 'alter function meeting_results volatile'],
  ['a sequence', 'alter sequence feed_sleep maxvalue 2'],
  ['a storage setting', 'alter table rate_windows reset (fillfactor)'],
  [
    'a collation',
    'alter table kontakt_aliases alter column canonical_key type text collate "default"',
  ],
]

test.each(changes)('the description differs once %s changes', async (_, statement) => {
  await rolledBack(migrated.sql, async sql => {
    await sql.unsafe(statement)
    expect(await dumpSchema(sql)).not.toBe(committed)
  })
})

test('an object the description cannot say is refused, not left out', () =>
  rolledBack(migrated.sql, async sql => {
    await sql`create materialized view open_leads as select id from leads`
    await expect(dumpSchema(sql)).rejects.toThrow(
      'the schema dump does not know open_leads (relkind m)',
    )
  }))
