// Each role may run the query files that its part of the service runs; a new file needs its line here and its grants
// in sql/roles/grant_roles.sql.
import { beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import type { QueryName } from '../../src/db/queries.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { serviceQueries } from '../support/query_files.ts'
import { type RoleName, useRoles } from '../support/roles.ts'
import { rolledBack } from '../support/rolled_back.ts'
import { executeWithNulls } from '../support/single.ts'

/** Who runs it: the parts of the service, and the commands that only the owner can run. */
const runBy: Record<QueryName, RoleName[]> = {
  listLeads: ['api'],
  listActiveLeads: ['api'],
  searchLeads: ['api'],
  getLead: ['api'],
  getLeadAnalysis: ['api'],
  listKontakte: ['api'],
  getHaushalt: ['api'],
  resolveKontaktKey: ['api', 'dashboard'],
  listAppointments: ['api'],
  getMeetingIntelligence: ['api'],
  listSignals: ['api'],
  getEventPage: ['api', 'dashboard'],
  getEventPageByTypes: ['api', 'dashboard'],
  listHooks: ['api'],
  insertHook: ['api'],
  deleteHook: ['api'],
  listSampleEvents: ['api'],
  listLiveApiKeys: ['api'],
  updateApiKeysLastUsed: ['api'],
  claimPermits: ['api'],

  sequenceEvents: ['worker'],
  getOutboxState: ['worker'],
  updateFeedIdle: ['worker'],
  prepareEventsPartitions: ['worker'],
  pruneEvents: ['worker'],
  claimDeliveries: ['worker'],
  recordAttempts: ['worker'],
  recordDelivered: ['worker'],
  updateDeliveriesReleased: ['worker'],
  pruneDeliveries: ['worker'],
  claimOwnerNotices: ['worker'],
  deleteOwnerNotice: ['worker'],
  pruneOwnerNotices: ['worker'],

  // Any process: whether all secrets can be opened, whether the schema is the right one, metrics.
  listHookSecrets: ['api', 'worker', 'dashboard'],
  getReadiness: ['api', 'worker', 'dashboard'],
  getReplicaState: ['api'],
  listSchemaMigrations: ['api', 'worker', 'dashboard'],
  getLostSettings: ['api', 'worker', 'dashboard'],
  getGauges: ['api', 'worker'],

  getKontaktLeads: ['dashboard'],
  getKontaktHoldings: ['dashboard'],
  deleteKontakt: ['dashboard'],
  insertTestDelivery: ['dashboard'],
  listAttempts: ['dashboard'],
  listDeliveries: ['dashboard'],
  listHookStates: ['dashboard'],
  updateDeliveriesMissed: ['dashboard'],
  updateDeliveryRedelivered: ['dashboard'],
  updateHookCaughtUp: ['dashboard'],
  updateHookReactivated: ['dashboard'],
  updateHookSecret: ['dashboard'],
  updateHookSecretSwitched: ['dashboard'],
  getOverview: ['dashboard'],
  countRecentAttempts: ['dashboard'],
  listHookNames: ['dashboard'],
  listHookReports: ['dashboard'],
  getDelivery: ['dashboard'],
  listNewestEvents: ['dashboard'],
  getEvent: ['dashboard'],
  insertOwnerSession: ['dashboard'],
  getOwnerSession: ['dashboard'],
  updateOwnerSessionUsed: ['dashboard'],
  deleteOwnerSession: ['dashboard'],
  pruneOwnerSessions: ['dashboard'],
  listApiKeys: ['dashboard'],
  insertApiKey: ['dashboard'],
  updateApiKeyRevoked: ['dashboard'],

  updateLeadsIncome: [],
  updateLeadAnalysesIncome: [],
  updateHaushalteIncome: [],
  updateMeetingIntelligenceIncome: [],
  updateEventOutboxIncome: [],
  updateEventsIncome: [],
  updateFeedHead: [],
  getRedactionTotals: [],
  listRedactionProgress: [],
  recordRedactionProgress: [],
  deleteRedactionProgress: [],
  getLeadPresence: [],
  insertSchemaMigration: [],
}

/** What follows from rights that other files need: reading the feed, the state of webhooks. */
const mayAlsoRun: Partial<Record<QueryName, RoleName[]>> = {
  resolveKontaktKey: ['worker'],
  getEventPage: ['worker'],
  getEventPageByTypes: ['worker'],
  getOutboxState: ['api', 'dashboard'],
  listHooks: ['worker', 'dashboard'],
  listSampleEvents: ['dashboard'],
  updateHookCaughtUp: ['worker'],
  updateHookReactivated: ['worker'],
  getOverview: ['api'],
  getReplicaState: ['worker', 'dashboard'],
  updateFeedHead: ['worker'],
  getGauges: ['dashboard'],
  listHookNames: ['worker'],
  listNewestEvents: ['api', 'worker'],
  getEvent: ['api', 'worker'],
  listLiveApiKeys: ['dashboard'],
  getRedactionTotals: ['api'],
  getLeadPresence: ['api'],
}

const database = useDatabase()
const roles = useRoles(database)

beforeAll(async () => {
  // What is called for each row must be called at all.
  const hook = await factory.hook(database.sql)
  await factory.delivery(database.sql, { subscription_id: hook.id as string })
  await factory.ownerNotice(database.sql, { subscription_id: hook.id as string })
})

/** Whether the server lets the role execute the file; null for every parameter, and nothing stays. */
async function mayRun(sql: Sql, role: RoleName, name: QueryName): Promise<boolean> {
  const file = serviceQueries.find(([known]) => known === name)?.[1]
  if (!file) throw new Error(`there is no query ${name}`)
  let allowed = true
  await rolledBack(sql, async inside => {
    await inside.unsafe(`set local role ${roles.name(role)}`)
    await inside.unsafe(file.text)
    await inside.unsafe('savepoint executing')
    // A null where none may be is found after a right that is missing.
    await inside.unsafe(executeWithNulls(file)).catch(async error => {
      allowed = error.code !== '42501'
      await inside.unsafe('rollback to savepoint executing')
    })
    await inside.unsafe(`deallocate ${file.name}`)
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
