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
  getHaushalt: ['api'],
  resolveKontaktKey: ['api', 'dashboard'],
  listAppointments: ['api'],
  getMeetingIntelligence: ['api'],
  listSignals: ['api'],
  getEventPage: ['api', 'dashboard'],
  listHooks: ['api'],
  insertHook: ['api'],
  updateHookDeleted: ['api'],
  listSampleEvents: ['api', 'dashboard'],
  listLiveApiKeys: ['api'],
  updateApiKeysLastUsed: ['api'],
  claimPermits: ['api'],
  recordKeyRequests: ['api'],
  pruneKeyRequests: ['api'],
  pruneKeyRequestCounts: ['api'],
  listKeyRequests: ['api', 'dashboard'],
  countKeyRequests: ['api', 'dashboard'],

  claimLease: ['worker'],
  sequenceEvents: ['worker'],
  updateFeedFloor: ['worker'],
  pruneEvents: ['worker'],
  recordAttempts: ['worker'],
  updateLeaseEnded: ['worker'],
  listActiveHooks: ['worker'],
  listDeliveryPage: ['worker'],
  claimDueDeliveries: ['worker'],
  pruneDeliveries: ['worker'],
  getHookTarget: ['dashboard'],
  listEventDeliveries: ['dashboard'],
  listFailedCursors: ['dashboard'],
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
  listEventsAt: ['dashboard'],
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

  updateLeadsIncome: [],
  updateLeadAnalysesIncome: [],
  updateHaushalteIncome: [],
  updateMeetingIntelligenceIncome: [],
  updateAppointmentsIncome: [],
  updateSignalsIncome: [],
  updateAdvisoryDocsIncome: [],
  updateEventsIncome: [],
  updateFeedHead: [],
  getRedactionTotals: [],
  listRedactionProgress: [],
  recordRedactionProgress: [],
  deleteRedactionProgress: [],
  getLeadPresence: [],
  insertSchemaMigration: [],
  recordSchemaFunctions: [],
  deleteSchemaFunctions: [],
}

/** What follows from rights that other files need: reading the feed, the state of webhooks. */
const mayAlsoRun: Partial<Record<QueryName, RoleName[]>> = {
  claimDueDeliveries: ['dashboard'],
  listActiveHooks: ['dashboard'],
  listDeliveryPage: ['dashboard'],
  getHookTarget: ['worker'],
  listAttempts: ['worker'],
  listDeliveries: ['worker'],
  listEventDeliveries: ['worker'],
  listFailedCursors: ['api', 'worker'],
  listHookReports: ['worker'],
  getOverview: ['api'],
  resolveKontaktKey: ['worker'],
  listHooks: ['worker', 'dashboard'],
  getReplicaState: ['dashboard'],
  getNoticeSettings: ['worker'],
  listOwnerNotices: ['worker'],
  listLiveApiKeys: ['dashboard'],
  getLeadPresence: ['api'],
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

test.each(parts)('%s may run its own query files, and of the others those it must', async role => {
  const names = serviceQueries.map(([name]) => name as QueryName)
  const allowed: QueryName[] = []
  for (const name of names) if (await mayRun(database.sql, role, name)) allowed.push(name)
  const expected = names.filter(name =>
    [...(runBy[name] ?? []), ...(mayAlsoRun[name] ?? [])].includes(role),
  )
  expect(allowed).toEqual(expected)
  expect(names.filter(name => runBy[name]?.includes(role)).length).toBeGreaterThan(10)
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

type Right = { privilege: string; object: string; on: string }

/** Each right of a role on its own: of one column, where it is for some columns. */
async function rightsOf(role: RoleName): Promise<Right[]> {
  const grantee = roles.name(role)
  const rows = await database.sql`
    select privilege_type as privilege, 'table ' || relname as object, relname as on
    from pg_class cross join aclexplode(relacl)
    where relkind in ('r', 'p', 'v') and grantee = ${grantee}::text::regrole
    union all
    select privilege_type || ' (' || attname || ')', 'table ' || relname, relname
    from pg_attribute join pg_class on pg_class.oid = attrelid cross join aclexplode(attacl)
    where grantee = ${grantee}::text::regrole
    union all
    select privilege_type, 'sequence ' || relname, relname
    from pg_class cross join aclexplode(relacl) where relkind = 'S' and grantee = ${grantee}::text::regrole
    union all
    select privilege_type, 'function ' || proname, proname
    from pg_proc cross join aclexplode(proacl) where grantee = ${grantee}::text::regrole`
  return [...rows] as unknown as Right[]
}

/** Whether some file of the role cannot do without a right. */
async function isNeeded(role: RoleName, { privilege, object, on }: Right): Promise<boolean> {
  const own = serviceQueries.filter(([name]) => runBy[name as QueryName]?.includes(role))
  // Those that name it first: mostly one of them needs it.
  const [naming, others] = [true, false].map(wanted =>
    own.filter(([, file]) => file.text.includes(on) === wanted),
  )
  let needed = false
  await rolledBack(database.sql, async inside => {
    await inside.unsafe(`revoke ${privilege} on ${object} from ${roles.name(role)}`)
    for (const [name] of [...(naming ?? []), ...(others ?? [])]) {
      needed = !(await mayRunInside(inside, role, name as QueryName))
      if (needed) return
    }
  })
  return needed
}

// What a row that is inserted calls: with nulls there is none.
const unseen: Partial<Record<RoleName, string[]>> = {}

test.each(parts)(
  '%s has no right that none of its files needs',
  async role => {
    const surplus: string[] = []
    for (const right of await rightsOf(role))
      if (!(await isNeeded(role, right))) surplus.push(`${right.privilege} on ${right.object}`)
    expect(surplus.sort()).toEqual((unseen[role] ?? []).sort())
  },
  60_000,
)
