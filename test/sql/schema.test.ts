// sql/schema.sql is what a DBA reads first, so it has what the migrations make.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { sqlDir } from '../support/repo/query_files.ts'
import { dumpSchema } from '../support/repo/schema_dump.ts'

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
  ['a collation', 'alter table owner_notices alter column error_class type text collate "C"'],
]

test.each(changes)('the description differs once %s changes', async (_, statement) => {
  await rolledBack(migrated.sql, async sql => {
    await sql.unsafe(statement)
    expect(await dumpSchema(sql)).not.toBe(committed)
  })
})

const describes = async (statements: string, work: (sql: Sql) => Promise<void>) =>
  rolledBack(migrated.sql, async sql => {
    await sql.unsafe(statements)
    await work(sql)
  })

test('the description covers partitions, enumerations, composites, sequences, identity columns and views', () =>
  describes(
    `create type mood as enum ('sad', 'happy');
     create type reason as (mood mood, since timestamptz);
     create sequence feeling_seq increment -1 maxvalue 7 start 5;
     create table feeling (id bigint generated always as identity, mood mood) partition by range (id);
     create table feeling_1 partition of feeling for values from (1) to (10);
     create index feeling_idx on feeling (mood);
     create view happy as select id from feeling where mood = 'happy'`,
    async sql => {
      const dump = await dumpSchema(sql)
      expect(dump).toContain("CREATE TYPE mood AS ENUM ('sad', 'happy');")
      expect(dump).toContain(
        'CREATE TYPE reason AS (\n  mood mood,\n  since timestamp with time zone\n);',
      )
      expect(dump).toContain('CREATE SEQUENCE feeling_seq INCREMENT BY -1 MAXVALUE 7 START WITH 5;')
      expect(dump).toContain('id bigint NOT NULL GENERATED ALWAYS AS IDENTITY')
      expect(dump).toContain(') PARTITION BY RANGE (id);')
      expect(dump).toContain('CREATE TABLE feeling_1 PARTITION OF feeling FOR VALUES FROM')
      expect(dump.match(/CREATE INDEX feeling/g)).toHaveLength(1)
      expect(dump).toContain('CREATE VIEW happy AS')
    },
  ))

test('an object the description cannot say is refused, not left out', () =>
  describes('create materialized view open_leads as select id from leads', async sql => {
    await expect(dumpSchema(sql)).rejects.toThrow(
      'the schema dump does not know open_leads (relkind m)',
    )
  }))
