// What a DBA reads with \d+: every table says what it holds, every personal column that it is one.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

/** Tables about people: every free text and every document in them is explained. */
const tablesAboutPeople = [
  'leads',
  'lead_analyses',
  'haushalte',
  'appointments',
  'meeting_intelligence',
  'signals',
]

const personal =
  /(^|_)(name|email|mail|phone|telefon|address|adresse|title|summary|persona|url|parsed|haushalt|analysis|alias|kontakt|canonical|results|next_steps|provenance|empfehlungen)(_|$)/

type Column = { name: string; table: string; comment: string | null; open: boolean }

/** Columns that hold text or documents; a closed enumeration is not open. */
async function textColumns(): Promise<Column[]> {
  const rows = await database.sql`
    select relname as table, relname || '.' || attname as name, col_description(attrelid, attnum) as comment,
      not exists (
        select from pg_constraint
        where conrelid = attrelid and attnum = any (conkey) and contype = 'c'
          and pg_get_constraintdef(oid) like '% = ANY (ARRAY[%') as open
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
      and attnum > 0 and not attisdropped and atttypid in ('text'::regtype, 'jsonb'::regtype, 'json'::regtype)
    order by name`
  return rows as unknown as Column[]
}

test('every table and view has a comment', async () => {
  const bare = await database.sql`
    select relname from pg_class
    where relkind in ('r', 'p', 'v') and not relispartition and relnamespace = 'public'::regnamespace and obj_description(oid, 'pg_class') is null`
  expect(bare.map(row => row.relname)).toEqual([])
})

test('every function has a comment, unless it is a trigger’s', async () => {
  const bare = await database.sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype
      and obj_description(oid, 'pg_proc') is null
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`
  expect(bare.map(row => row.proname)).toEqual([])
})

test('every column whose name suggests personal data has a comment', async () => {
  const bare = (await textColumns()).filter(
    ({ name, table, comment }) =>
      comment === null && !table.startsWith('schema_') && personal.test(name.split('.')[1] ?? ''),
  )
  expect(bare.map(({ name }) => name)).toEqual([])
})

test('every free text and every document about people has a comment', async () => {
  const bare = (await textColumns()).filter(
    ({ table, comment, open }) => comment === null && open && tablesAboutPeople.includes(table),
  )
  expect(bare.map(({ name }) => name)).toEqual([])
})

test('every document about people says that it is personal or derived', async () => {
  const rows = await database.sql`
    select table_name || '.' || column_name as name
    from information_schema.columns
    where table_schema = 'public' and data_type = 'jsonb' and table_name in ${database.sql(tablesAboutPeople)}
      and col_description(table_name::regclass, ordinal_position) !~ '^(Personal|Derived):'`
  expect(rows.map(row => row.name)).toEqual([])
})
