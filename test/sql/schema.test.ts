// What a DBA reads first: sql/schema.sql has what the migrations make, and in \d+ every table, function and column that
// is about people is explained.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dumpSchema } from '../../scripts/write_schema.ts'
import { connect } from '../../src/db/connect.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { sqlDir } from './query_files.ts'

const database = useDatabase()
const committed = readFileSync(join(sqlDir, 'schema.sql'), 'utf8')

test('schema.sql describes the migrated database; bun run schema writes it anew', async () => {
  expect(await dumpSchema(database.sql)).toBe(committed)
  expect(committed).not.toMatch(/(?!\n)\p{Cc}/u)
})

test.each([
  'alter table leads alter column status drop not null',
  'alter table signals drop constraint signals_lead_id_fkey',
  'drop index leads_active_idx',
  'alter table leads enable trigger leads_documents',
  'comment on column leads.name is null',
  'alter function meeting_results volatile',
])('the description differs after %s', statement =>
  rolledBack(database.sql, async sql => {
    await sql.unsafe(statement)
    expect(await dumpSchema(sql)).not.toBe(committed)
  }),
)

const people =
  "('leads', 'lead_analyses', 'haushalte', 'appointments', 'meeting_intelligence', 'signals')"
const personal = [
  'name|email|mail|phone|telefon|address|adresse|title|summary|persona|url|parsed|haushalt|analysis|alias|kontakt',
  'canonical|results|next_steps|provenance|empfehlungen',
].join('|')
const columns = `
  from pg_attribute join pg_class on pg_class.oid = attrelid
  where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
    and relname !~ '^schema_' and`

// A closed enumeration explains itself.
test.each([
  [
    'a table or view without a comment',
    `select relname as name from pg_class
    where relkind in ('r', 'p', 'v') and relnamespace = 'public'::regnamespace and obj_description(oid, 'pg_class') is null`,
  ],
  [
    'a function without a comment that is no trigger’s',
    `select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
      and obj_description(oid, 'pg_proc') is null
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
  ],
  [
    'a personal column, or a free text about people, without a comment',
    `select relname || '.' || attname as name ${columns} atttypid in ('text'::regtype, 'jsonb'::regtype, 'json'::regtype)
      and col_description(attrelid, attnum) is null
      and (attname ~ '(^|_)(${personal})(_|$)' or relname in ${people} and not exists (
        select from pg_constraint
        where conrelid = attrelid and attnum = any (conkey) and contype = 'c'
          and pg_get_constraintdef(oid) like '% = ANY (ARRAY[%'))`,
  ],
  [
    'a document about people that is neither personal nor derived',
    `select relname || '.' || attname as name ${columns} atttypid = 'jsonb'::regtype and relname in ${people}
      and col_description(attrelid, attnum) !~ '^(Personal|Derived):'`,
  ],
])('there is not %s', async (_, statement) => {
  expect((await database.sql.unsafe(statement)).map(row => row.name)).toEqual([])
})

test('a session has the settings that statements are written for, whatever the database sets for all', async () => {
  const odd = [
    ['standard_conforming_strings', 'off', 'on'],
    ['default_transaction_isolation', 'serializable', 'read committed'],
    ['TimeZone', 'Asia/Tokyo', 'UTC'],
  ]
  for (const [name, value] of odd)
    await database.sql.unsafe(`alter database ${database.name} set ${name} = '${value}'`)
  const options = { connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 20_000 }
  const session = connect({ url: database.url, ...options })
  for (const [name, , own] of odd) {
    const [row] = await session.unsafe(`select current_setting('${name}') as value`)
    expect([name, row?.value]).toEqual([name, own])
  }
  await session.end()
})
