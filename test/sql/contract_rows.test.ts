// What a query returns fits the shape the API promises: names, types, null, closed enumerations.
import { expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { describeRows } from '../../scripts/write_queries.ts'
import { queries } from '../../src/db/queries.ts'
import { type Rows, rows } from '../../src/db/rows.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { hookSources } from '../../src/model/hook.ts'
import { Channel } from '../../src/model/lead.ts'
import { scopes } from '../../src/model/scope.ts'
import { signalStatuses } from '../../src/model/signal.ts'
import { useDatabase } from '../support/database/database.ts'
import { serviceFiles } from './query_files.ts'

const database = useDatabase()

/** The JSON kind a PostgreSQL type becomes. A type that is missing here fails. */
const kindsOfType: Record<string, string[]> = {
  boolean: ['boolean'],
  bigint: ['integer', 'integer int64'],
  integer: ['integer'],
  smallint: ['integer'],
  numeric: ['number'],
  // A moment leaves as moment() writes it.
  text: ['string', 'string uri', 'string date-time'],
  uuid: ['string uuid'],
  'timestamp with time zone': ['string date-time'],
  'text[]': ['array'],
  json: ['object', 'array'],
  jsonb: ['object', 'array'],
}

const membersOf = (schema: TSchema): TSchema[] => schema.anyOf?.flatMap(membersOf) ?? [schema]

const kindOf = ({ const: literal, type, format }: TSchema): string =>
  literal !== undefined ? typeof literal : [type, format].filter(Boolean).join(' ')

const kindsOf = (schema: TSchema) => membersOf(schema).map(kindOf)

const properties = (name: keyof Rows): Record<string, TSchema> => rows[name].properties

const shaped = Object.keys(rows) as (keyof Rows)[]

test('a query whose rows have a shape of the contract returns its members, in both directions and in order', async () => {
  for (const name of shaped) {
    const columns = await describeRows(database.sql, queries[name])
    expect([name, ...columns.map(column => column.name)]).toEqual([
      name,
      ...Object.keys(properties(name)),
    ])
  }
})

test('every column becomes the JSON kind its shape names', async () => {
  const misfits: string[] = []
  for (const query of shaped)
    for (const { name, type } of await describeRows(database.sql, queries[query])) {
      const expected = kindsOfType[type] ?? []
      const found = kindsOf(properties(query)[name] as TSchema).filter(kind => kind !== 'null')
      if (found.length === 0 || !found.every(kind => expected.includes(kind)))
        misfits.push(`${query} ${name}: ${type} is no ${found}`)
    }
  expect(misfits).toEqual([])
})

test('what can be null has a shape that allows null', async () => {
  const misfits: string[] = []
  for (const query of shaped)
    for (const { name, nullable } of await describeRows(database.sql, queries[query]))
      if (nullable && !kindsOf(properties(query)[name] as TSchema).includes('null'))
        misfits.push(`${query} ${name}`)
  expect(misfits).toEqual([])
})

test('what a head says is never null is a column of which the catalog cannot tell', async () => {
  const vain: string[] = []
  for (const file of serviceFiles) {
    const columns = await describeRows(database.sql, file)
    const open = columns.filter(({ storedNotNull }) => !storedNotNull).map(({ name }) => name)
    vain.push(
      ...file.notNull.filter(name => !open.includes(name)).map(name => `${file.path} ${name}`),
    )
  }
  expect(vain).toEqual([])
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
