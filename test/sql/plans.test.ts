// How the server runs the statements: with which index and how many blocks, on one database of 20,000 leads; what
// their heads say of indexes; what their verbs say of writes.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { QueryName } from '../../src/db/queries.ts'
import { queries } from '../../src/db/queries.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database/database.ts'
import {
  blocksOf,
  type Explaining,
  executeWithNulls,
  execution,
  openExplaining,
  type ParameterValues,
  touched,
  useSingleConnection,
  withPrepared,
} from '../support/database/explaining.ts'
import { serviceFiles } from './query_files.ts'

const database = useDatabase()
const single = useSingleConnection(database)
let session: Explaining

const id = (n: string) => `('00000000-0000-4000-8000-' || lpad((${n})::text, 12, '0'))::uuid`
const one = '00000000-0000-4000-8000-000000000777'
const moment = `timestamptz '2026-01-01' + n * interval '1 minute'`

// One lead in 75 is won, one in 500 lost, one in four archived. Without triggers, which do not affect plans.
const fill = `
  set local session_replication_role = replica;
  create temporary table numbers on commit drop as select n from generate_series(1, 20000) as n order by md5(n::text);
  insert into leads (id, name, email, phone, status, archived_at, created_at)
    select ${id('n')}, 'Kunde ' || md5(n::text), 'kunde.' || n || '@example.org', '+4917139' || lpad(n::text, 5, '0'),
      case when n % 500 = 0 then 'lost' when n % 75 = 1 then 'won' else 'new' end,
      case when n % 4 = 0 then timestamptz '2026-03-01' end, ${moment}
    from numbers;
  insert into lead_analyses (lead_id, channel, source_id, analysis, created_at, kontakt_key)
    select ${id('n')}, 'chat', n, '{}', ${moment}, 'email:kunde.' || n || '@example.org' from numbers where n <= 5000;
  insert into haushalte (kontakt_key, haushalt, updated_at)
    select 'email:kunde.' || n || '@example.org', '{}'::jsonb, ${moment} from numbers where n <= 5000
    union all select 'phone:+49199' || lpad(n::text, 8, '0'), '{}', timestamptz '2027-01-01' from numbers where n <= 30;
  insert into kontakt_aliases (alias_key, canonical_key)
    select 'phone:+49199' || lpad(n::text, 8, '0'), 'email:kunde.' || n || '@example.org' from numbers where n <= 5000;
  insert into appointments (id, status, platform, starts_at, lead_id)
    select ${id('n')}, case when n % 75 = 1 then 'no_show' else 'completed' end, 'zoom', ${moment}, ${id('n')} from numbers;
  insert into meeting_intelligence (appointment_id, status) select ${id('n')}, 'ready' from numbers;
  insert into signals (kind, title, status, score, lead_id, detected_at, kontakt_key)
    select 'x', 'x', case when n % 75 = 1 then 'done' else 'open' end, 1, ${id('n')}, ${moment}, 'email:kunde.' || n || '@example.org'
    from numbers where n <= 5000;
  insert into events (log_id, id, event_type, schema_version, object_type, object_id, links, data)
    select n, ${id('n')}, case when n % 500 = 0 then 'signal.opened' else 'lead.created' end, '1', 'lead', ${id('n')},
      event_links(${id('n')}, null), jsonb_build_object('email', 'kunde.' || n || '@example.org')
    from numbers;
  insert into event_cursors (cursor, log_id, event_type) select log_id, log_id, event_type from events;
  insert into hook_subscriptions (id, target_url, event_types, secret, cursor)
    select ${id('n')}, 'https://hooks.example.com/' || n, array['signal.opened'], 'x', 100 from generate_series(1, 20) as n;
  insert into hook_attempts (subscription_id, cursor, started_at, version, duration_ms, attempt, status, outcome)
    select ${id('1 + n % 20')}, n, ${moment}, 1, 1, 1, 200, 'd' from numbers;
  insert into hook_outstanding (subscription_id, cursor, attempts, due_at)
    select ${id('1 + n % 20')}, n, 1, case when n % 2 = 0 then ${moment} end from numbers`

beforeAll(async () => {
  await database.sql.begin(async inside => void (await inside.unsafe(fill)))
  await database.sql.unsafe('vacuum analyze')
  session = await openExplaining(database.url)
}, 60_000)
afterAll(() => session?.end())

const page = { row_limit: 50, row_offset: 0 }
const leads = { ...page, search: null, status: null, include_archived: false }
const events = { after: null, event_types: null, row_limit: 100, bytes_max: 4_000_000 }

/** query | arguments | the indexes that its rows come from. */
const plans: [query: QueryName, args: ParameterValues, indexes: string | RegExp][] = [
  ['listLeads', leads, 'leads_active_idx'],
  ['listLeads', { ...leads, include_archived: true }, 'leads_created_idx'],
  ['listLeads', { ...leads, status: 'won' }, 'leads_active_status_idx'],
  ['listLeads', { ...leads, status: 'won', include_archived: true }, 'leads_status_idx'],
  ['listLeads', { ...leads, status: 'lost' }, 'leads_active_status_idx'],
  ['listLeads', { ...leads, status: 'unheard of' }, 'leads_active_status_idx'],
  // Where most leads have the status, walking all leads newest first costs as little.
  ['listLeads', { ...leads, status: 'new' }, /^leads_active(_status)?_idx$/],
  ['listLeads', { ...leads, search: 'kunde.777@' }, 'leads_search_idx'],
  ['listLeads', { ...leads, search: '9+ 000' }, 'leads_search_idx'],
  ['listLeads', { ...leads, search: 'example.org' }, 'leads_active_idx'],
  ['listLeads', { ...leads, search: 'e' }, 'leads_active_idx'],
  ['getLead', { lead_id: one }, 'leads_pkey'],
  ['getLeadAnalysis', { lead_id: one }, 'lead_analyses_newest_idx'],
  ['listKontakte', page, /^haushalte_pkey haushalte_updated_idx kontakt_aliases_/],
  [
    'getHaushalt',
    { kontakt_key: 'email:kunde.777@example.org' },
    /haushalte_pkey.*kontakt_aliases_canonical_idx/,
  ],
  ['listAppointments', { ...page, status: null, starts_from: null }, 'appointments_starts_idx'],
  [
    'listAppointments',
    { ...page, status: 'no_show', starts_from: null },
    'appointments_status_idx',
  ],
  ['getMeetingIntelligence', { meeting_id: one }, 'appointments_pkey meeting_intelligence_pkey'],
  ['listSignals', { ...page, status: null }, 'signals_detected_idx'],
  ['listSignals', { ...page, status: 'done' }, 'signals_status_idx'],
  ['getEventPage', { ...events, after: 500 }, /event_cursors_pkey.* events_pkey/],
  [
    'getEventPage',
    { ...events, event_types: ['signal.opened'] },
    /event_cursors_type_idx.* events_pkey/,
  ],
]

test.each(plans)('%s %j is read along %s', async (name, args, indexes) => {
  const file = queries[name]
  await session.run(
    `set plan_cache_mode = ${file.withValues ? 'force_custom_plan' : 'force_generic_plan'}`,
  )
  await session.run(file.text)
  try {
    const nodes = await session.explain(execution(file, args))
    const found = [...new Set(nodes.map(node => node['Index Name']).filter(Boolean))]
      .sort()
      .join(' ')
    expect(found).toMatch(typeof indexes === 'string' ? new RegExp(`^${indexes}$`) : indexes)
    expect(
      nodes.filter(node => node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== 'feed'),
    ).toEqual([])
    // 50 rows of the heap, a few pages of an index; a page of contacts looks for the aliases of each, one of events for bodies.
    expect(blocksOf(nodes)).toBeLessThan(/Kontakte|EventPage/.test(name) ? 700 : 200)
  } finally {
    await session.run(`deallocate ${file.name}`)
  }
})

test('what is stored of a person is found by indexes, whatever the tables hold', async () => {
  for (const call of ['kontakt_holdings', 'erase_kontakt']) {
    const nodes = await session.explainNested(
      `begin; select * from ${call}('kunde.777@example.org'); rollback`,
    )
    const whole = nodes
      .filter(node => node['Node Type'] === 'Seq Scan')
      .map(node => String(node['Relation Name']))
    const large =
      /^(leads|lead_analyses|haushalte|kontakt_aliases|appointments|signals|events|event_cursors|hook_attempts)$/
    expect([call, whole.filter(table => large.test(table))]).toEqual([call, []])
  }
})

const pruned: [horizon: number, call: string, table: string, rowsMax: number][] = [
  [10_000, 'prune_deliveries(30)', 'hook_attempts', 60],
  // A bitmap counts its rows twice.
  [60, "prune_events('-1 day', now(), null, 30)", 'hook_outstanding', 180],
]

test.each(pruned)(
  'from %d on %s reads of %s what goes, by subscription and cursor',
  async (horizon, call, table, rowsMax) => {
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      const nodes = await session.explainNested(
        `begin; set local plan_cache_mode = ${mode}; update feed set horizon = ${horizon}; select ${call}; rollback`,
      )
      const reads = nodes.filter(
        node =>
          /^(Seq|Index|Bitmap)/.test(String(node['Node Type'])) &&
          (node['Relation Name'] === table || node['Index Name'] === `${table}_pkey`),
      )
      const read = reads.reduce((sum, node) => sum + touched(node), 0)
      expect(read).toBeWithin(1, rowsMax + 1)
      const conditions = reads.map(node => node['Index Cond'] ?? node['Recheck Cond'])
      for (const condition of conditions)
        expect([mode, condition]).toEqual([
          mode,
          expect.stringMatching(/subscription_id = .*cursor <= /),
        ])
    }
  },
)

const large =
  `leads lead_analyses haushalte kontakt_aliases appointments meeting_intelligence signals events event_cursors
  hook_attempts hook_outstanding`.split(/\s+/)

/** The tables that the plan for any value reads, and those it reads whole, on a server that does so only when it must. */
const tablesRead = (file: QueryFile) =>
  withPrepared(single.sql, file, async () => {
    await single.sql.unsafe('set enable_seqscan = off; set plan_cache_mode = force_generic_plan')
    const rows = await single.sql.unsafe(`explain ${executeWithNulls(file)}`)
    const plan = rows.map(row => row['QUERY PLAN']).join('\n')
    const all = [...plan.matchAll(/(Seq )?Scan (?:Backward )?(?:using \w+ )?on (\w+)/g)]
    const named = (wanted: boolean) =>
      all.filter(([, whole]) => !wanted || whole).map(([, , table = '']) => table)
    return {
      read: named(false).filter(table => large.includes(table)),
      whole: named(true).filter(table => large.includes(table)),
    }
  })

test('an index serves every query on a large table, and the head names one that exists', async () => {
  const rows =
    await database.sql`select indexname, tablename from pg_indexes where schemaname = 'public'`
  const tableOf = Object.fromEntries(rows.map(row => [row.indexname, row.tablename]))
  for (const file of serviceFiles) {
    const { read, whole } = await tablesRead(file)
    const tables = [...file.uses, ...file.adds].map(index => tableOf[index])
    expect([file.path, whole, tables.includes(undefined)]).toEqual([file.path, [], false])
    expect([file.path, read.filter(table => !tables.includes(table))]).toEqual([file.path, []])
  }
})

const writing = /^(insert|update|delete|prune|claim|record|sequence)_/

test('a query writes if its verb does, and else runs in a read-only transaction', async () => {
  for (const file of serviceFiles) {
    // Of an empty batch nothing is written.
    if (file.name === 'record_attempts') continue
    const refused = await withPrepared(single.sql, file, async () => {
      await single.sql.unsafe('begin read only')
      const statement = executeWithNulls(file, { table_name: "'leads'" })
      const code = await single.sql.unsafe(statement).then(
        () => '',
        error => error.code,
      )
      await single.sql.unsafe('rollback')
      return code
    })
    expect([file.path, refused]).toEqual([file.path, writing.test(file.name) ? '25006' : ''])
  }
})
