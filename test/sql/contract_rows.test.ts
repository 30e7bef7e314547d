// What a query returns fits the shape the API promises: names, types, null, closed enumerations.
import { expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { oidOf } from '../../src/db/parameter_types.ts'
import type { QueryName } from '../../src/db/queries.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { rows } from '../../src/db/rows.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { hookSources } from '../../src/model/hook.ts'
import { Channel } from '../../src/model/lead.ts'
import { scopes } from '../../src/model/scope.ts'
import { signalStatuses } from '../../src/model/signal.ts'
import { useDatabase } from '../support/database.ts'
import { serviceQueries } from '../support/query_files.ts'

const database = useDatabase()

type Column = { name: string; type: number; table: number; number: number }

/** The JSON kind a PostgreSQL type becomes. A type that is missing here fails. */
const kindsOfType: Record<string, string[]> = {
  boolean: ['boolean'],
  bigint: ['integer'],
  integer: ['integer'],
  numeric: ['number'],
  text: ['string', 'string uri'],
  uuid: ['string uuid'],
  'timestamp with time zone': ['string date-time'],
  'text[]': ['array'],
  json: ['object', 'array'],
  jsonb: ['object', 'array'],
}

// An expression has no column behind it that could tell whether it is ever null. Each of these never is:
const neverNull: Record<string, string> = {
  'hooks/insert_hook subscription': 'json_build_object is never null',
  'keys/claim_permits used': 'a row always has at least one total',
  'kontakte/get_haushalt canonical_key': 'coalesce ends with the parameter, which is never null',
  ...Object.fromEntries(
    ['get_kontakt_holdings', 'delete_kontakt'].flatMap(name =>
      ['canonical_key', 'keys', 'shared_keys', 'other_leads', 'counts', 'recipients'].map(
        column => [`kontakte/${name} ${column}`, 'the function returns no row without them'],
      ),
    ),
  ),
  ...Object.fromEntries(
    ['canonical_key', 'keys', 'shared_keys', 'lead_count', 'leads'].map(column => [
      `kontakte/get_kontakt_leads ${column}`,
      'the function returns no row without a key; its arrays are empty, not null',
    ]),
  ),
  ...Object.fromEntries(
    ['claim', 'started_at', 'duration_ms'].map(name => [
      `hooks/list_attempts ${name}`,
      'of the attempt itself, through a view',
    ]),
  ),
  'hooks/update_delivery_redelivered id': 'of the delivery itself, through a union',
  'kontakte/list_kontakte kontakt_key': 'coalesce ends with the key of the record',
  'kontakte/get_haushalt aliases': 'array(select …) is empty, not null',
  'meetings/get_meeting_intelligence appointment': 'json_build_object is never null',
  'meetings/get_meeting_intelligence results': 'coalesce ends with []',
  ...Object.fromEntries(
    ['id', 'state', 'attempts', 'created_at'].map(name => [
      `hooks/list_deliveries ${name}`,
      'of the delivery itself; the outer join is to its event',
    ]),
  ),
  ...Object.fromEntries(
    ['id', 'subscription_id', 'state', 'attempts', 'created_at', 'due_at'].map(name => [
      `hooks/get_delivery ${name}`,
      'of the delivery itself; the outer join is to its event',
    ]),
  ),
  ...Object.fromEntries(
    [
      ...['id', 'target_url', 'event_types', 'source', 'active', 'created_at'],
      ...['consecutive_failures', 'old_secret_leads', 'pending', 'skipped'],
    ].map(name => [
      `hooks/list_hook_reports ${name}`,
      'of the subscription itself, or a count; the outer joins are to its deliveries',
    ]),
  ),
  ...Object.fromEntries(
    ['unsequenced', 'pending', 'requests', 'at'].map(name => [
      `owner/get_overview ${name}`,
      'a count, or the clock',
    ]),
  ),
  ...Object.fromEntries(
    ['partitions', 'outbox', 'pending', 'active', 'failing', 'paused'].map(name => [
      `owner/get_gauges ${name}`,
      'a count',
    ]),
  ),
  ...Object.fromEntries(
    ['at', 'accepted', 'failed'].map(name => [
      `owner/count_recent_attempts ${name}`,
      'a count, or made of a moment that is never null',
    ]),
  ),
  ...Object.fromEntries(
    ['id', 'consecutive_failures', 'active'].map(name => [
      `hooks/record_attempts ${name}`,
      'a changed subscription, through a common table expression',
    ]),
  ),
  ...Object.fromEntries(
    ['get_event_page', 'get_event_page_by_types'].flatMap(name => [
      [`events/${name} count`, 'count is never null'],
      [`events/${name} next_cursor`, 'a full page has a last event, and the head is never null'],
      [`events/${name} data`, 'coalesce ends with an empty array'],
    ]),
  ),
}

const membersOf = (schema: TSchema): TSchema[] => schema.anyOf?.flatMap(membersOf) ?? [schema]

const kindOf = ({ const: literal, type, format }: TSchema): string =>
  literal !== undefined ? typeof literal : [type, format].filter(Boolean).join(' ')

const kindsOf = (schema: TSchema) => membersOf(schema).map(kindOf)

const properties = (name: QueryName): Record<string, TSchema> => rows[name]?.properties ?? {}

async function columnsOf(file: QueryFile): Promise<Column[]> {
  const values = file.parameters.map(({ type }) => database.sql.typed(null as never, oidOf(type)))
  const described = await database.sql.unsafe(file.statement, values as never[]).describe()
  return described.columns as unknown as Column[]
}

async function typeName(oid: number): Promise<string> {
  const [row] = await database.sql`select format_type(${oid}::oid, null) as name`
  return row?.name
}

/** Whether the column is stored as not null; an expression or the far side of an outer join is not. */
async function isStoredNotNull(file: QueryFile, { table, number }: Column): Promise<boolean> {
  if (table === 0 || /\b(left|right|full) join\b/.test(file.statement)) return false
  const [row] = await database.sql`
    select attnotnull from pg_attribute where attrelid = ${table}::oid and attnum = ${number}`
  return row?.attnotnull
}

test('every query returns the columns of its row schema, in both directions and in order', async () => {
  for (const [name, file] of serviceQueries) {
    const columns = (await columnsOf(file)).map(column => column.name)
    expect([file.path, ...columns]).toEqual([file.path, ...Object.keys(properties(name))])
  }
})

test('every column becomes the JSON kind its schema names', async () => {
  const misfits: string[] = []
  for (const [name, file] of serviceQueries)
    for (const column of await columnsOf(file)) {
      const type = await typeName(column.type)
      const expected = kindsOfType[type] ?? []
      const found = kindsOf(properties(name)[column.name] as TSchema).filter(
        kind => kind !== 'null',
      )
      if (found.length === 0 || !found.every(kind => expected.includes(kind)))
        misfits.push(`${file.path} ${column.name}: ${type} is no ${found}`)
    }
  expect(misfits).toEqual([])
})

test('what can be null has a schema that allows null', async () => {
  const misfits: string[] = []
  for (const [name, file] of serviceQueries)
    for (const column of await columnsOf(file)) {
      const place = `${file.path} ${column.name}`
      const allowsNull = kindsOf(properties(name)[column.name] as TSchema).includes('null')
      if (!allowsNull && !(place in neverNull) && !(await isStoredNotNull(file, column)))
        misfits.push(place)
    }
  expect(misfits).toEqual([])
})

test('no exception to the rule on null outlives its column', async () => {
  const found: string[] = []
  for (const [, file] of serviceQueries)
    for (const column of await columnsOf(file))
      if (!(await isStoredNotNull(file, column))) found.push(`${file.path} ${column.name}`)
  expect(Object.keys(neverNull).filter(name => !found.includes(name))).toEqual([])
})

const enumerations: [table: string, column: string, values: readonly string[]][] = [
  ['signals', 'status', signalStatuses],
  ['lead_analyses', 'channel', Channel.anyOf.map(member => member.const)],
  ['api_keys', 'scopes', scopes],
  ['hook_subscriptions', 'source', hookSources],
  ['hook_subscriptions', 'event_types', eventTypes],
]

test.each(enumerations)(
  '%s.%s takes the values TypeScript knows',
  async (table, column, values) => {
    const [row] = await database.sql`
    select pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint
    join pg_attribute on pg_attribute.attrelid = conrelid and pg_attribute.attnum = any (conkey)
    where conrelid = ${table}::regclass and attname = ${column} and contype = 'c'`
    const found = [...String(row?.definition).matchAll(/'([^']*)'::text/g)].map(match => match[1])
    expect(found.sort()).toEqual([...values].sort())
  },
)
