// Least privilege at work: the service on its narrow roles does everything, and each role is refused what is not its own.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type Sql } from '../../src/db/connect.ts'
import { dashboardSettings, signInByForm } from '../support/browser/dashboard.ts'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { type RoleName, roleNames, useRoles } from '../support/database/roles.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { useServiceOn } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { run as runOn } from '../support/process/program.ts'
import {
  deliverOnce,
  readEverything,
  type Workspace,
  writeWorkspace,
} from '../support/process/smoke.ts'

const database = useDatabase()
const roles = useRoles(database)
beforeAll(async () => {
  await database.sql.unsafe(`grant ${roles.name('dashboard')} to ${roles.name('api')}`)
})
const api = useServiceOn(database, () => ({
  url: roles.url('api'),
  settings: { ...dashboardSettings, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
}))
const hooks = useHooks(api)

const logins = {} as Record<RoleName, Sql>
let worker: { stop(): Promise<void> }
let workspace: Workspace

beforeAll(async () => {
  for (const role of roleNames) logins[role] = oneConnection(roles.url(role))
  worker = await hooks.startWorker({}, roles.url('worker'))
  workspace = await writeWorkspace(logins.writer)
})
afterAll(async () => {
  await worker.stop()
  await Promise.all(Object.values(logins).map(sql => sql.end({ timeout: 1 })))
})

test('REST and tools work as the API’s role, over rows that the platform’s role wrote', async () => {
  await readEverything(api, workspace)
})

test('a subscription gets its events, with a worker of the worker’s role', async () => {
  await deliverOnce(api, hooks, logins.writer, '/ok/roles')
})

test('the dashboard works with the group next to the API’s role', async () => {
  const owner = await signInByForm(api)
  const hook = { target_url: 'https://hooks.example.com/x', event_types: ['lead.created'] }
  const { body } = await api.send('/hooks', { method: 'POST', body: JSON.stringify(hook) })
  const ones = [`/webhooks/${body.data.id}`, '/events/1']
  for (const page of ['', '/keys', '/webhooks', '/events', '/privacy', '/system', ...ones])
    expect([page, (await owner.get(`/dashboard${page}`)).status]).toEqual([page, 200])
  const made = await owner.submit('/dashboard/keys', {
    label: 'CRM',
    scope: 'read:leads',
    once: crypto.randomUUID(),
  })
  expect(made.text).toMatch(/wda_[0-9A-Za-z]{49}/)
})

test('a writer merges contacts and emits events without a right on aliases or the feed', async () => {
  const { writer } = logins
  const [merged] =
    await writer`select merge_kontakte('email:alt@example.org', ${workspace.kontakt}) as merged`
  expect(merged?.merged).toBe(true)
  const [emitted] = await writer`
    select emit_event('advisory_doc.sent', 'advisory_doc', 'x', '{}', jsonb_build_object(
      'advisory_doc_id', gen_random_uuid(), 'lead_id', null, 'title', null, 'sent_at', now())) as id`
  expect(emitted?.id).toMatch(/^[0-9a-f-]{36}$/)
})

/** The SQLSTATE of a refusal, or nothing. */
const refusal = (role: RoleName, statement: string) =>
  logins[role]
    .begin(transaction => transaction.unsafe(statement))
    .then(
      () => 'done',
      error => error.code as string,
    )

const refused: [role: RoleName, statement: string][] = [
  ['api', "update leads set name = 'x'"],
  ['api', 'delete from events'],
  ['api', 'insert into event_cursors (cursor) values (1)'],
  ['api', "select emit_event('lead.archived', 'lead', 'x', '{}', '{}')"],
  ['api', "select merge_kontakte('email:a@example.org', 'email:b@example.org')"],
  ['api', "select prune_events('1 day', now(), null, 1)"],
  ['api', 'create table own (n integer)'],
  ['api', 'update leader set fence = 2'],
  ['worker', 'select digest from api_keys'],
  ['worker', 'select id from api_keys'],
  ['worker', 'select id from leads'],
  ['worker', 'select digest from owner_sessions'],
  ['worker', "update hook_subscriptions set secret = 'x'"],
  ['worker', "select erase_kontakt('email:a@example.org')"],
  ['worker', 'drop table events'],
  ['worker', 'delete from events'],
  ['worker', 'update feed set head_floor = 0'],
  ['worker', "update feed set identity = 'x'"],
  ['worker', 'select advance_feed()'],
  ['worker', 'delete from event_cursors'],
  [
    'worker',
    "insert into event_cursors (cursor, log_id, event_type) values (1, 1, 'lead.created')",
  ],
  ['worker', 'select from write_locks for update'],
  ['api', 'select from write_locks for update'],
  ['api', "select take_lock('hook_subscriptions')"],
  ['writer', 'select hooks_below_max(1)'],
  ['writer', 'select head from feed_state'],
  ['writer', "select append_event('lead.archived', 'lead', 'x', '{}', '{}')"],
  ['writer', "select setval('events_log_id_seq', 1)"],
  ['worker', "insert into events (event_type) values ('lead.created')"],
  ['writer', 'select data from events'],
  ['writer', "insert into events (event_type) values ('lead.created')"],
  ['writer', "insert into kontakt_aliases values ('email:a@example.org', 'email:b@example.org')"],
  ['writer', 'select id from api_keys'],
  ['writer', 'select secret from hook_subscriptions'],
  ['writer', "select erase_kontakt('email:a@example.org')"],
  [
    'writer',
    `create temporary table own (id uuid); create trigger forge after insert on own
       referencing new table as new_rows for each statement execute function emit_created()`,
  ],
  [
    'writer',
    `create temporary table own (id uuid); create trigger move after insert on own
       for each statement execute function emit_created()`,
  ],
  ['dba', 'select secret from hook_subscriptions'],
  ['dba', 'select hook_subscriptions from hook_subscriptions'],
  ['dba', 'select old_secret from hook_subscriptions'],
  ['dba', 'select digest from api_keys'],
  ['dba', 'select digest from owner_sessions'],
  ['dba', "set transaction read write; update leads set name = 'x'"],
  ['dba', "set transaction read write; select erase_kontakt('email:a@example.org')"],
]

test.each(refused)('%s is refused: %s', async (role, statement) => {
  expect(await refusal(role, statement)).toBe('42501')
})

test('without the dashboard’s group the API neither makes keys nor sees attempts', async () => {
  await database.sql.unsafe(`revoke ${roles.name('dashboard')} from ${roles.name('api')}`)
  try {
    const settings = { DATABASE_URL: roles.url('api'), SECRETS_KEY: secretsKey }
    expect(await runOn('the binary', ['keys', 'list'], settings)).toEqual({
      code: 2,
      out: '',
      said: expect.stringMatching(
        /^DATABASE_URL: this login may not do what is needed here \(.+ api_keys\); see docs\/operations\/rights\.md/,
      ),
    })
    for (const statement of [
      'select label from api_keys',
      "insert into api_keys (prefix) values ('x')",
      'select excerpt from hook_attempts',
      'delete from hook_outstanding',
      "select erase_kontakt('email:a@example.org')",
    ])
      expect([statement, await refusal('api', statement)]).toEqual([statement, '42501'])
  } finally {
    await database.sql.unsafe(`grant ${roles.name('dashboard')} to ${roles.name('api')}`)
  }
})

test('a DBA reads every table, and no column that is a secret by its name', async () => {
  const columns = await database.sql`
    select table_name as table, column_name as name
    from information_schema.columns
    where table_schema = 'public'`
  expect(columns.length).toBeGreaterThan(100)
  for (const { table, name } of columns) {
    const isSecret = /digest|secret$|password|token/.test(name) && !table.startsWith('schema_')
    const outcome = await refusal('dba', `select ${name} from ${table} limit 1`)
    expect([table, name, outcome]).toEqual([table, name, isSecret ? '42501' : 'done'])
  }
})

test('a DBA can watch what sql/README.md says is to be watched', async () => {
  const [, section = ''] = readFileSync('sql/README.md', 'utf8').split('\n## What to watch\n')
  const statements = [...(section.split('\n## ')[0] ?? '').matchAll(/```sql\n([\s\S]*?)```/g)]
  expect(statements.length).toBeGreaterThan(6)
  for (const [, statement = ''] of statements)
    expect([statement, await refusal('dba', statement)]).toEqual([statement, 'done'])
})

test('the roles bring the settings that a pooler drops', async () => {
  for (const role of ['api', 'worker'] as const)
    expect((await logins[role]`show jit`)[0]?.jit).toBe('off')
  const [settings] = await database.sql`
    select json_object_agg(rolname, setconfig)::text as found
    from pg_db_role_setting
    join pg_roles on pg_roles.oid = setrole
    join pg_database on pg_database.oid = setdatabase
    where datname = current_database()`
  expect(JSON.parse(settings?.found)).toEqual({
    [roles.name('api')]: expect.arrayContaining(['statement_timeout=5000', 'lock_timeout=3s']),
    [roles.name('worker')]: [
      'statement_timeout=30s',
      'lock_timeout=10s',
      'idle_in_transaction_session_timeout=10s',
      'default_transaction_isolation=read committed',
      'jit=off',
    ],
    [roles.name('dba')]: expect.arrayContaining([
      'lock_timeout=1s',
      'default_transaction_read_only=on',
    ]),
  })
})

describe('the program', () => {
  const run = async (env: Record<string, string>, ...args: string[]) => {
    const { code, out, said } = await runOn('the binary', args, env)
    return { code, stdout: out, stderr: said }
  }

  test('roles mends what a restore without privileges lost, and says what is left to do', async () => {
    const args = ['roles', '--prefix', roles.prefix]
    await database.sql`grant execute on function erase_kontakt, emit_event to public`
    await database.sql.unsafe(`revoke all on leads from ${roles.name('api')}`)
    const { code, stdout } = await run({ DATABASE_URL: database.url }, ...args)
    expect(code).toBe(0)
    expect(stdout).toContain(`\\password ${roles.name('api')}`)
    await readEverything(api, workspace)
    const erasing = "select erase_kontakt('email:a@example.org')"
    expect(await refusal('worker', erasing)).toBe('42501')
  })

  test('keys, hooks and hooks’ states work as the API’s role with the dashboard’s group', async () => {
    const env = { DATABASE_URL: roles.url('api') }
    expect((await run(env, 'keys', 'create', '--label', 'x')).stdout).toMatch(/^wda_/)
    expect((await run(env, 'hooks', 'list')).code).toBe(0)
  })

  test.each([
    ['worker', 'api', 'ROLES=api'],
    ['api', 'worker', 'ROLES=worker'],
  ] as const)('the login %s with ROLES=%s does not start', async (login, part, named) => {
    const env = { DATABASE_URL: roles.url(login), ROLES: part, PORT: '0', SECRETS_KEY: secretsKey }
    const { code, stderr } = await run(env, 'serve')
    expect(stderr).toContain(
      `the login ${roles.name(login)} lacks the rights that ${named} needs (the role workspace_${part}); see docs/operations/rights.md.`,
    )
    expect(code).toBe(2)
  })

  test('the service does not run on a login of the platform', async () => {
    const { code, stderr } = await run({ DATABASE_URL: roles.url('writer'), PORT: '0' }, 'serve')
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/may not do what is needed here \(.+ schema_migrations\)/),
    ])
  })

  test('the API’s login without the dashboard’s group does not start a dashboard', async () => {
    await database.sql.unsafe(`revoke ${roles.name('dashboard')} from ${roles.name('api')}`)
    const env = { DATABASE_URL: roles.url('api'), ROLES: 'api', PORT: '0', SECRETS_KEY: secretsKey }
    const { code, stderr } = await run({ ...env, ...dashboardSettings }, 'serve')
    await database.sql.unsafe(`grant ${roles.name('dashboard')} to ${roles.name('api')}`)
    expect([code, stderr]).toEqual([2, expect.stringContaining('that the dashboard needs')])
  })

  test('on a database that is behind, a narrow role is told to have the owner migrate', async () => {
    const sql = connect({
      url: database.url,
      connectionsMax: 1,
      applicationName: 'test',
      statementTimeoutMs: 0,
    })
    const [last] = await sql`
      delete from schema_migrations where number = (select max(number) from schema_migrations)
      returning number, name, sha256`
    try {
      const env = { DATABASE_URL: roles.url('worker'), ROLES: 'worker', PORT: '0' }
      const { code, stderr } = await run(env, 'serve')
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('migrate and roles are run as the owner'),
      ])
    } finally {
      await sql`insert into schema_migrations ${sql(last as never)}`
      await sql.end()
    }
  })
})
