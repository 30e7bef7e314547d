// The tables of indexes and storage settings in sql/README.md, made from sql/schema.sql and from what the query files say.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { queries } from '../src/db/queries.ts'

const schema = readFileSync(join(import.meta.dir, '../sql/schema.sql'), 'utf8')

type Index = { table: string; name: string; on: string }

/** What no query file says: indexes that serve writers, triggers and functions, or keep rows apart. */
const besides: Record<string, string> = {
  leads_email_hint_idx: 'erasing a person',
  leads_phone_hint_idx: 'erasing a person',
  lead_analyses_kontakt_idx: 'erasing a person',
  signals_kontakt_idx: 'erasing a person',
  appointments_session_idx: 'erasing a person',
  events_object_idx: 'erasing a person, the owner searching for events',
  events_lead_idx: 'erasing a person, the owner searching for events',
  events_session_idx: 'erasing a person, the owner searching for events',
  events_kontakt_idx: 'erasing a person, the owner searching for events',
  events_email_idx: 'erasing a person, the owner searching for events',
  events_phone_idx: 'erasing a person, the owner searching for events',
  events_xid_idx: 'the sequencer: events of late transactions',
  feed_lock_pkey: 'one row',
  advisory_docs_lead_idx: 'deleting a lead',
  advisory_docs_pkey: 'writers',
  api_keys_digest_key: 'no key twice',
  leader_only_row_idx: 'one row',
  notice_settings_pkey: 'one row',
  appointments_lead_idx: 'deleting a lead',
  event_types_pkey: '`emit_event`',
  write_locks_pkey: '`take_lock`',
  event_types_position_key: 'no place twice',
  feed_pkey: 'one row',
  haushalte_pkey: 'writers, `merge_kontakte`',
  kontakt_aliases_canonical_idx: '`merge_kontakte`',
  kontakt_aliases_pkey: '`merge_kontakte`',
  lead_analyses_lead_id_channel_source_id_key: 'writers: one row per lead, channel and source',
  schema_functions_pkey: 'no file twice',
  schema_migrations_pkey: 'no migration twice',
  signals_lead_idx: 'deleting a lead',
  signals_pkey: 'writers',
}

const users = (index: string): string[] =>
  Object.values(queries)
    .filter(({ uses }) => uses.includes(index))
    .map(({ path }) => `\`${path}\``)
    .sort()

/** Every index of sql/schema.sql, by table. */
export function indexes(): Index[] {
  const tables = [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \(\n([\s\S]*?)^\)/gm)]
  const constraints = tables.flatMap(([, table = '', body = '']) =>
    [...body.matchAll(/CONSTRAINT (\w+) (PRIMARY KEY|UNIQUE) \((.*?)\)/g)].map(
      ([, name = '', kind, columns]) => ({
        table,
        name,
        on: `${kind === 'UNIQUE' ? 'unique ' : ''}(${columns?.replaceAll('"', '')})`,
      }),
    ),
  )
  const others = schema.matchAll(
    /^CREATE (UNIQUE )?INDEX (\w+) ON (\w+) USING (\w+) (\(.*?\))(?: WITH \(.*?\))?(?: WHERE (.*))?;$/gm,
  )
  const created = [...others].map(([, unique, name = '', table = '', method, columns, where]) => ({
    table,
    name,
    on: [
      unique ? 'unique ' : '',
      method === 'btree' ? '' : `${method} `,
      columns?.replaceAll(' DESC', ' desc'),
      where ? ` where ${where.replaceAll('::text', '').replace('IS NULL', 'is null')}` : '',
    ].join(''),
  }))
  const order = ({ table, name }: Index) => `${table} ${name.endsWith('_pkey') ? 0 : 1} ${name}`
  const all = new Map([...constraints, ...created].map(index => [index.name, index]))
  return [...all.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

/** What an index is for. Throws where neither a query nor the list here says it. */
function servesOf({ name }: Index): string {
  const served = [...users(name), besides[name]].filter(Boolean)
  if (served.length === 0)
    throw new Error(`no query uses ${name}: say what it is for in scripts/index_table.ts`)
  return served.join(', ')
}

export const indexTable = () =>
  indexes().map(index => [
    ...[`\`${index.table}\``, `\`${index.name}\``, index.on, servesOf(index)],
  ])

/** Indexes that are explained here and do not exist any more. */
export const explainedInVain = (): string[] => {
  const names = indexes().map(({ name }) => name)
  return Object.keys(besides).filter(name => !names.includes(name))
}

/** Why a table has settings of its own. */
const settingReasons: Record<string, string> = {
  feed: 'One row, written every ten seconds: its versions stay on one page.',
  hook_outstanding: 'Rows come and go while receivers fail, so vacuum looks often.',
  hook_subscriptions: 'Positions are written every few seconds: versions stay on their page.',
  leader: 'One row, renewed every second: its versions stay on one page.',
  rate_windows:
    'Updated with every few requests. The table is unlogged: a crash of the server forgets a minute of counting.',
}

/** Table and settings of each table that has some, as cells. */
export const storageSettings = (): string[] =>
  [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \([\s\S]*?^\)(?: WITH \((.*)\))?;$/gm)]
    .flatMap(([, name, settings]) => (settings ? `\`${name}\` | \`${settings}\`` : []))
    .sort()

export const settingsTable = () =>
  storageSettings().map(cells => {
    const reason = settingReasons[/\w+/.exec(cells)?.[0] ?? '']
    if (!reason) throw new Error(`say why in scripts/index_table.ts: ${cells}`)
    return [cells, reason]
  })
