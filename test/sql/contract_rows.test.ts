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

const database = useDatabase()

/** The JSON kinds a PostgreSQL type becomes. A type that is missing here fails. */
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

const shaped = Object.keys(rows) as (keyof Rows)[]

test.each(shaped)(
  '%s returns the members of its shape in order, each of its kind, null where that is allowed',
  async name => {
    const columns = await describeRows(database.sql, queries[name])
    const properties: Record<string, TSchema> = rows[name].properties
    expect(columns.map(column => column.name)).toEqual(Object.keys(properties))
    const misfits = columns.filter(({ name, type, nullable }) => {
      const kinds = membersOf(properties[name] as TSchema).map(kindOf)
      const others = kinds.filter(kind => kind !== 'null')
      const expected = kindsOfType[type] ?? []
      const isKind = others.length > 0 && others.every(kind => expected.includes(kind))
      return !isKind || (nullable && others.length === kinds.length)
    })
    expect(misfits).toEqual([])
  },
)

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
