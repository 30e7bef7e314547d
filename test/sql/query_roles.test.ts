// Each role may run the query files that its part of the service runs; a new file needs its line here and its grants
// in sql/roles/grant_roles.sql.
import { beforeAll, expect, test } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import { type QueryName, queries } from '../../src/db/queries.ts'
import { isReading, type QueryFile } from '../../src/db/query_file.ts'
import { read } from '../repo/sources.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { executeWithNulls } from '../support/database/explaining.ts'
import * as factory from '../support/database/factory.ts'
import { type RoleName, useRoles } from '../support/database/roles.ts'
import { serviceQueries } from './query_files.ts'

/** Which parts of the service run which queries. */
const runBy: Record<string, string> = {
  api: `listLeads getLead getLeadAnalysis listKontakte listKontakteWithHaushalt resolveKontaktKeys
    getHaushalt listAppointments getMeetingIntelligence listSignals listHooks insertHook
    updateHookDeleted listLiveApiKeys claimPermits recordKeyUsage`,
  'api dashboard': `resolveKontaktKey getEventPage getUsage listKeyUsage`,
  worker: `claimLease sequenceEvents updateFeedFloor pruneEvents recordAttempts updateLeaseEnded
    listActiveHooks listDeliveryPage claimDueDeliveries pruneDeliveries claimOwnerNotices
    updateOwnerNotice pruneOwnerNotices listLoggingSettings`,
  // Whether all secrets can be opened, whether the schema is the right one, metrics.
  'api worker dashboard': `listSubscribedTables listHookSecrets getReadiness getFeedCheck getLoginAccess
    listSchemaMigrations listSchemaFunctions getGauges`,
  dashboard: `getHookTarget listEventDeliveries updateHookRedelivered updateHookReplayed
    getKontaktLeads getKontaktHoldings deleteKontakt listAttempts listDeliveries
    listFoundCursors deleteHookFailures updateHookReactivated updateHookSecret
    updateHookSecretSwitched getOverview getArrivals listAttemptHours updateHook
    updateHookPaused insertTestNotice getNoticeSettings
    updateNoticeSettings listOwnerNotices listHookReports listNewestEvents getEvent
    insertOwnerSession getOwnerSession updateOwnerSessionUsed deleteOwnerSession
    pruneOwnerSessions listApiKeys insertApiKey insertApiKeySuccessor updateApiKeyRevoked`,
  'api worker': `getReplicaState`,
  // Commands of the owner of the tables.
  owner: `updateIncome listRedactionTables updateFeedHead getLeadPresence
    insertSchemaMigration recordSchemaFunctions deleteSchemaFunctions`,
}
const partsOf = new Map(
  Object.entries(runBy).flatMap(([parts, names]) =>
    names.split(/\s+/).map(name => [name, parts] as const),
  ),
)

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

/** Whether the server lets the role execute the file; null for all but a text, and nothing stays. */
async function mayRun(sql: Sql, role: RoleName, name: QueryName): Promise<boolean> {
  const file = queries[name] as QueryFile
  let allowed = true
  await rolledBack(sql, async inside => {
    // A plan for these nulls would leave out tables that cannot have a row, and ask for no right on them.
    await inside.unsafe(
      `savepoint trying; set local plan_cache_mode = force_generic_plan; set local role ${roles.name(role)}`,
    )
    // A null where none may be is found after a right that is missing.
    allowed = await inside
      .unsafe(`${file.text}; ${executeWithNulls(file, aText)}`)
      .simple()
      .then(
        () => true,
        (error: { code?: string }) => error.code !== '42501',
      )
    await inside.unsafe('rollback to savepoint trying; deallocate all')
  })
  return allowed
}

const parts: RoleName[] = ['api', 'worker', 'dashboard']

test.each(parts)('%s may run its own query files, and none of the owner’s', async role => {
  expect(serviceQueries.map(([name]) => name).toSorted()).toEqual(
    [...partsOf.keys()].toSorted() as never,
  )
  const wrong: string[] = []
  for (const [name] of serviceQueries) {
    const runners = partsOf.get(name) ?? ''
    // Anyone may learn whether there is a lead.
    if (
      /LeadPresence|RedactionTables/.test(name) ||
      (runners !== 'owner' && !runners.includes(role))
    )
      continue
    if ((await mayRun(database.sql, role, name)) === (runners === 'owner')) wrong.push(name)
  }
  expect(wrong).toEqual([])
})

test('a DBA may run every file that reads, but for those that sql/README.md names', async () => {
  const refused: string[] = []
  for (const [name, file] of serviceQueries)
    if (isReading(file) && !(await mayRun(database.sql, 'dba', name))) refused.push(file.path)
  const [, named = ''] = /`workspace_dba` cannot run ([^;]+);/.exec(read('sql/README.md')) ?? []
  const paths = [...named.matchAll(/`(\w+\/\w+)`/g)].map(match => match[1])
  expect(paths.toSorted()).toEqual(refused.toSorted())
})

// No table or function of the caller's comes in between.
test('a function that runs with the rights of its owner is for those alone that are granted it, with a path of its own', async () => {
  const wrong = await database.sql`
    select proname from pg_proc
    where pronamespace = 'public'::regnamespace and prosecdef
      and (exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)
        or not 'search_path=public, pg_temp' = any (coalesce(proconfig, '{}')))`
  expect(wrong.map(({ proname }) => proname)).toEqual([])
})
