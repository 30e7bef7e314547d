// The table of indexes in sql/README.md, made from sql/schema.sql and from what the query files say they use.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceFiles, sqlDir } from './query_files.ts'

type Index = { table: string; name: string; on: string }

/** What no query file tells: indexes that serve writers, triggers, or keep rows apart. */
const besides: Record<string, string> = {
  leads_email_hint_idx: 'erasing a person',
  leads_phone_hint_idx: 'erasing a person',
  lead_analyses_kontakt_idx: 'erasing a person',
  signals_kontakt_idx: 'erasing a person',
  appointments_session_idx: 'erasing a person',
  hook_outcomes_cursor_idx: 'erasing a person',
  hook_queue_cursor_idx: 'erasing a person',
  events_names_idx: 'erasing a person',
  advisory_docs_lead_idx: 'deleting a lead',
  advisory_docs_pkey: 'writers',
  api_keys_digest_key: 'no key twice',
  appointments_lead_idx: 'deleting a lead',
  event_types_pkey: '`emit_event`',
  event_types_position_key: 'no place twice',
  haushalte_pkey: 'writers, `merge_kontakte`',
  kontakt_aliases_canonical_idx: '`merge_kontakte`',
  kontakt_aliases_pkey: '`merge_kontakte`',
  lead_analyses_lead_id_channel_source_id_key: 'writers: one row per lead, channel and source',
  redaction_progress_pkey: '`redact`',
  sample_events_pkey: 'one sample per type',
  schema_migrations_pkey: 'no migration twice',
  signals_lead_idx: 'deleting a lead',
  signals_pkey: 'writers',
}

/** Index names in the paragraph of a head that begins with "Uses", without those it only adds rows to. */
function usedBy(text: string): string[] {
  const head = text.slice(0, text.indexOf('\nprepare ')).replaceAll(/\n-- (?=\S)/g, ' ')
  const [, uses = ''] = /\bUses (.*)/.exec(head) ?? []
  return uses.replace(/; adds to .*/, '').match(/\b\w+_(idx|pkey|key)\b/g) ?? []
}

const users = (index: string): string[] =>
  serviceFiles
    .filter(({ text }) => usedBy(text).includes(index))
    .map(({ path }) => `\`${path}\``)
    .sort()

/** Every index of sql/schema.sql, by table; those of partitions are their table's. */
export function indexes(): Index[] {
  const schema = readFileSync(join(sqlDir, 'schema.sql'), 'utf8')
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
    /^CREATE INDEX (\w+) ON (?:ONLY )?(\w+) USING (\w+) (\(.*?\))(?: WITH \(.*?\))?(?: WHERE (.*))?;$/gm,
  )
  const created = [...others].map(([, name = '', table = '', method, columns, where]) => ({
    table,
    name,
    on: [
      method === 'btree' ? '' : `${method} `,
      columns?.replaceAll(' DESC', ' desc'),
      where ? ` where ${where.replaceAll('::text', '').replace('IS NULL', 'is null')}` : '',
    ].join(''),
  }))
  const order = ({ table, name }: Index) => `${table} ${name.endsWith('_pkey') ? 0 : 1} ${name}`
  return [...constraints, ...created].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

/** What an index is for. Throws where nobody says. */
function servesOf({ name }: Index): string {
  const served = [...users(name), besides[name]].filter(Boolean)
  if (served.length === 0) throw new Error(`nobody says what ${name} is for`)
  return served.join(', ')
}

export const indexTable = (): string =>
  ['| Table | Index | On | Serves |', '|---|---|---|---|']
    .concat(
      indexes().map(
        index => `| \`${index.table}\` | \`${index.name}\` | ${index.on} | ${servesOf(index)} |`,
      ),
    )
    .join('\n')

/** Indexes that are explained here and do not exist any more. */
export const explainedInVain = (): string[] => {
  const names = indexes().map(({ name }) => name)
  return Object.keys(besides).filter(name => !names.includes(name))
}

const table = /\| Table \| Index \| On \| Serves \|\n[\s\S]*?(?=\n\n)/

/** sql/README.md with its table as it must be. */
export const withIndexTable = (readme: string): string => readme.replace(table, () => indexTable())
