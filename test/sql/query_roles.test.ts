// Each role may run the query files that its part of the service runs; a new file needs its line here and its grants
// in sql/roles/grant_roles.sql.
import { beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import type { QueryName } from '../../src/db/queries.ts'
import { isReading } from '../../src/db/query_file.ts'
import { read } from '../repo/sources.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { executeWithNulls } from '../support/database/own_session.ts'
import { type RoleName, useRoles } from '../support/database/roles.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import { serviceQueries } from '../support/repo/query_files.ts'

/** Who runs it: the parts of the service, and the commands that only the owner can run. */
const runBy: Record<QueryName, RoleName[]> = {
  listLeads: ['api'],
  getLead: ['api'],
  getLeadAnalysis: ['api'],
  listKontakte: ['api'],
  listKontakteWithHaushalt: ['api'],
  resolveKontaktKeys: ['api'],
  getHaushalt: ['api'],
  resolveKontaktKey: ['api', 'dashboard'],
  listAppointments: ['api'],
  getMeetingIntelligence: ['api'],
  listSignals: ['api'],
  getEventPage: ['api', 'dashboard'],
  listHooks: ['api'],
  insertHook: ['api'],
  updateHookDeleted: ['api'],
  listLiveApiKeys: ['api'],
  updateApiKeysLastUsed: ['api'],
  claimPermits: ['api'],
  recordKeyUsage: ['api'],
  getUsage: ['api', 'dashboard'],
  listKeyUsage: ['api', 'dashboard'],

  claimLease: ['worker'],
  sequenceEvents: ['worker'],
  updateFeedFloor: ['worker'],
  pruneEvents: ['worker'],
  listSubscribedTables: ['api', 'worker', 'dashboard'],
  recordAttempts: ['worker'],
  updateLeaseEnded: ['worker'],
  listActiveHooks: ['worker'],
  listDeliveryPage: ['worker'],
  claimDueDeliveries: ['worker'],
  pruneDeliveries: ['worker'],
  getHookTarget: ['dashboard'],
  listEventDeliveries: ['dashboard'],
  updateHookRedelivered: ['dashboard'],
  updateHookReplayed: ['dashboard'],
  claimOwnerNotices: ['worker'],
  updateOwnerNotice: ['worker'],
  pruneOwnerNotices: ['worker'],

  // Any process: whether all secrets can be opened, whether the schema is the right one, metrics.
  listHookSecrets: ['api', 'worker', 'dashboard'],
  getReadiness: ['api', 'worker', 'dashboard'],
  getFeedCheck: ['api', 'worker', 'dashboard'],
  getLoginAccess: ['api', 'worker', 'dashboard'],
  getReplicaState: ['api', 'worker'],
  listSchemaMigrations: ['api', 'worker', 'dashboard'],
  listSchemaFunctions: ['api', 'worker', 'dashboard'],
  getGauges: ['api', 'worker', 'dashboard'],

  getKontaktLeads: ['dashboard'],
  getKontaktHoldings: ['dashboard'],
  deleteKontakt: ['dashboard'],
  listAttempts: ['dashboard'],
  listDeliveries: ['dashboard'],
  listFoundCursors: ['dashboard'],
  deleteHookFailures: ['dashboard'],
  updateHookReactivated: ['dashboard'],
  updateHookSecret: ['dashboard'],
  updateHookSecretSwitched: ['dashboard'],
  getOverview: ['dashboard'],
  getArrivals: ['dashboard'],
  listAttemptHours: ['dashboard'],
  updateHook: ['dashboard'],
  updateHookPaused: ['dashboard'],
  insertOwnerAction: ['dashboard'],
  listOwnerActions: ['dashboard'],
  insertTestNotice: ['dashboard'],
  getNoticeSettings: ['dashboard'],
  updateNoticeSettings: ['dashboard'],
  listOwnerNotices: ['dashboard'],
  listHookReports: ['dashboard'],
  listNewestEvents: ['dashboard'],
  getEvent: ['dashboard'],
  insertOwnerSession: ['dashboard'],
  getOwnerSession: ['dashboard'],
  updateOwnerSessionUsed: ['dashboard'],
  deleteOwnerSession: ['dashboard'],
  pruneOwnerSessions: ['dashboard'],
  listApiKeys: ['dashboard'],
  insertApiKey: ['dashboard'],
  insertApiKeySuccessor: ['dashboard'],
  updateApiKeyRevoked: ['dashboard'],

  updateIncome: [],
  listRedactionTables: [],
  updateFeedHead: [],
  deleteRedactionProgress: [],
  getLeadPresence: [],
  insertSchemaMigration: [],
  recordSchemaFunctions: [],
  deleteSchemaFunctions: [],
}

const database = useDatabase()
const roles = useRoles(database)

beforeAll(async () => {
  // What is called for each row must be called at all.
  const hook = await factory.hook(database.sql)
  await factory.event(database.sql)
  await factory.outstanding(database.sql, { subscription_id: hook.id })
  await factory.ownerNotice(database.sql, { subscription_id: hook.id as string })
})

// Of no text are parts looked up.
const aText = { search: "'beispiel'" }

/** In a transaction: whether the server lets the role execute the file; null for all but a text, and nothing stays. */
async function mayRunInside(inside: Sql, role: RoleName, name: QueryName): Promise<boolean> {
  const file = serviceQueries.find(([known]) => known === name)?.[1]
  if (!file) throw new Error(`there is no query ${name}`)
  // A plan for these nulls would leave out tables that cannot have a row, and ask for no right on them.
  await inside.unsafe(
    `savepoint trying; set local plan_cache_mode = force_generic_plan; set local role ${roles.name(role)}`,
  )
  const refused = (error: { code?: string }) => error.code === '42501'
  // A null where none may be is found after a right that is missing.
  const allowed = await inside
    .unsafe(`${file.text}; ${executeWithNulls(file, aText)}`)
    .simple()
    .then(
      () => true,
      error => !refused(error),
    )
  await inside.unsafe('rollback to savepoint trying')
  await inside.unsafe('deallocate all')
  return allowed
}

async function mayRun(sql: Sql, role: RoleName, name: QueryName): Promise<boolean> {
  let allowed = true
  await rolledBack(sql, async inside => {
    allowed = await mayRunInside(inside, role, name)
  })
  return allowed
}

const parts: RoleName[] = ['api', 'worker', 'dashboard']

test.each(parts)('%s may run its own query files', async role => {
  const own = serviceQueries.filter(([name]) => runBy[name as QueryName]?.includes(role))
  expect(own.length).toBeGreaterThan(10)
  const refused: string[] = []
  for (const [name] of own)
    if (!(await mayRun(database.sql, role, name as QueryName))) refused.push(name)
  expect(refused).toEqual([])
})

test('what the owner alone runs is refused to every part', async () => {
  for (const [name] of serviceQueries)
    if (runBy[name as QueryName]?.length === 0 && !/LeadPresence|RedactionTables/.test(name))
      for (const role of parts)
        expect([name, role, await mayRun(database.sql, role, name as QueryName)]).toEqual([
          name,
          role,
          false,
        ])
})

test('a DBA may run every file that reads, but for those that sql/README.md names', async () => {
  const refused: string[] = []
  for (const [name, file] of serviceQueries)
    if (isReading(file) && !(await mayRun(database.sql, 'dba', name as QueryName)))
      refused.push(file.path)
  const [, named = ''] = /`workspace_dba` cannot run ([^;]+);/.exec(read('sql/README.md')) ?? []
  const paths = [...named.matchAll(/`(\w+\/\w+)`/g)].map(match => match[1])
  expect(paths.toSorted()).toEqual(refused.toSorted())
})

test('a function that runs with the rights of its owner is for those alone that are granted it', async () => {
  const open = await database.sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prosecdef
      and exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`
  expect(open.map(({ proname }) => proname)).toEqual([])
  // And no table or function of the caller's comes in between.
  const unsafe = await database.sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prosecdef
      and not 'search_path=public, pg_temp' = any (coalesce(proconfig, '{}'))`
  expect(unsafe.map(({ proname }) => proname)).toEqual([])
})

/** Rights that no part needs, by role: what a stolen login could do worst. */
const never: [role: RoleName, table: string, privileges: string][] = [
  ['api', 'api_keys', 'insert, delete'],
  ['api', 'hook_attempts', 'select'],
  ['api', 'owner_sessions', 'select, insert'],
  ['api', 'leads', 'insert, update, delete'],
  ['api', 'events', 'insert, update, delete'],
  ['worker', 'leads', 'select'],
  ['worker', 'api_keys', 'select'],
  ['worker', 'hook_attempts', 'insert, delete'],
  ['worker', 'events', 'insert, delete'],
  ['worker', 'event_cursors', 'insert, delete'],
  ['dashboard', 'leads', 'select, delete'],
  ['dashboard', 'events', 'delete'],
  ['writer', 'events', 'select, insert'],
  ['writer', 'kontakt_aliases', 'insert, update'],
  ['writer', 'api_keys', 'select'],
  ['writer', 'hook_subscriptions', 'select'],
]

test.each(never)('%s has no right on %s to %s', async (role, table, privileges) => {
  const [row] =
    await database.sql`select has_table_privilege(${roles.name(role)}::text, ${table}::text, ${privileges}) as any`
  expect(row?.any).toBe(false)
})
