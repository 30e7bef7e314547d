// Least privilege at work: the service on its narrow roles does everything, and each role is refused what is not its own. The
// command roles as an owner who is no superuser, in a schema that holds what belongs to others; and the script by hand, in psql.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connect, type Sql } from '../../src/db/connect.ts'
import { grantWorkspaceRoles } from '../../src/db/roles.ts'
import { read, root } from '../repo/sources.ts'
import { dashboardSettings, signInByForm } from '../support/browser/dashboard.ts'
import { oneConnection, serverUrl, useDatabase } from '../support/database/database.ts'
import { type RoleName, roleNames, useRoles } from '../support/database/roles.ts'
import { administer, withDatabaseName } from '../support/database/server.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { useServiceOn } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { run } from '../support/process/program.ts'
import { runHere } from './commands.ts'
import { deliverOnce, readEverything, type Workspace, writeWorkspace } from './smoke.ts'

setDefaultTimeout(40_000)

const database = useDatabase()
const roles = useRoles(database)
async function inDashboard(change: 'grant' | 'revoke'): Promise<void> {
  const [group, login] = [roles.name('dashboard'), roles.name('api')]
  const to = change === 'grant' ? 'to' : 'from'
  await database.sql.unsafe(`${change} ${group} ${to} ${login}`)
}
beforeAll(() => inDashboard('grant'))
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

test('REST, tools, deliveries and the dashboard work on the narrow roles', async () => {
  await readEverything(api, workspace)
  await deliverOnce(api, hooks, logins.writer, '/ok/roles')
  const owner = await signInByForm(api)
  for (const page of ['', '/keys', '/webhooks', '/events', '/privacy', '/system', '/events/1'])
    expect([page, (await owner.get(`/dashboard${page}`)).status]).toEqual([page, 200])
  const form = { label: 'CRM', scope: 'read:leads', once: crypto.randomUUID() }
  expect((await owner.submit('/dashboard/keys', form)).text).toMatch(/wda_[0-9A-Za-z]{49}/)
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

const erase = "select erase_kontakt('email:a@example.org')"
const event = "insert into events (event_type) values ('lead.created')"
const refused: Record<string, string[]> = {
  api: [
    "update leads set name = 'x'",
    'insert into leads default values',
    'delete from leads',
    event,
    'delete from events',
    'insert into event_cursors (cursor) values (1)',
    "select emit_event('lead.archived', 'lead', 'x', '{}', '{}')",
    "select merge_kontakte('email:a@example.org', 'email:b@example.org')",
    "select prune_events('1 day', now(), null, 1)",
    'create table own (n integer)',
    'update leader set fence = 2',
    'select from write_locks for update',
    "select take_lock('hook_subscriptions')",
  ],
  worker: [
    'select id from api_keys',
    'select id from leads',
    'select digest from owner_sessions',
    "update hook_subscriptions set secret = 'x'",
    erase,
    'drop table events',
    'delete from events',
    'update feed set head_floor = 0',
    "update feed set identity = 'x'",
    'select advance_feed()',
    'delete from event_cursors',
    "insert into event_cursors (cursor, log_id, event_type) values (1, 1, 'lead.created')",
    'select from write_locks for update',
    'insert into hook_attempts default values',
    'delete from hook_attempts',
    event,
  ],
  dashboard: ['select id from leads', 'delete from leads', 'delete from events'],
  writer: [
    'select hooks_below_max(1)',
    'select head from feed_state',
    "select setval('events_log_id_seq', 1)",
    'select data from events',
    event,
    "insert into kontakt_aliases values ('email:a@example.org', 'email:b@example.org')",
    "update kontakt_aliases set canonical_key = 'x'",
    'select id from api_keys',
    'select secret from hook_subscriptions',
    erase,
    `create temporary table own (id uuid); create trigger forge after insert on own
       referencing new table as new_rows for each statement execute function emit_created()`,
    `create temporary table own (id uuid); create trigger move after insert on own
       for each statement execute function emit_created()`,
  ],
  dba: [
    'select hook_subscriptions from hook_subscriptions',
    "set transaction read write; update leads set name = 'x'",
    `set transaction read write; ${erase}`,
  ],
}

test.each(Object.entries(refused))(
  '%s is refused what is not its own',
  async (role, statements) => {
    for (const statement of statements)
      expect([statement, await refusal(role as RoleName, statement)]).toEqual([statement, '42501'])
  },
)

test('without the dashboard’s group the API neither makes keys nor sees attempts, and starts no dashboard', async () => {
  await inDashboard('revoke')
  const env = { DATABASE_URL: roles.url('api'), SECRETS_KEY: secretsKey, ROLES: 'api', PORT: '0' }
  const listed = await runHere(['keys', 'list'], env)
  const served = await run('the binary', ['serve'], { ...env, ...dashboardSettings })
  const statements = [
    ...['select label from api_keys', 'select excerpt from hook_attempts', erase],
    ...['insert into api_keys default values', 'delete from api_keys'],
    ...['select digest from owner_sessions', 'insert into owner_sessions default values'],
  ]
  const outcomes: string[] = []
  for (const one of statements) outcomes.push(await refusal('api', one))
  await inDashboard('grant')
  expect(listed.code).toBe(2)
  expect(listed.said).toMatch(
    /^DATABASE_URL: this login may not do what is needed here \(.+ api_keys\); see docs\/operations\/rights\.md/,
  )
  const refused = expect.stringContaining('that the dashboard needs')
  expect(served).toMatchObject({ code: 2, said: refused })
  expect(new Set(outcomes)).toEqual(new Set(['42501']))
})

test('a DBA reads every table, no column that is a secret by its name, and runs the statements of sql/README.md', async () => {
  const columns = await database.sql`
    select table_name as table, column_name as name
    from information_schema.columns where table_schema = 'public'`
  expect(columns.length).toBeGreaterThan(100)
  for (const { table, name } of columns) {
    const isSecret = /digest|secret$|password|token/.test(name) && !table.startsWith('schema_')
    const outcome = await refusal('dba', `select ${name} from ${table} limit 1`)
    expect([table, name, outcome]).toEqual([table, name, isSecret ? '42501' : 'done'])
  }
  const [, section = ''] = read('sql/README.md').split('\n## What to watch\n')
  const watched = [...(section.split('\n## ')[0] ?? '').matchAll(/```sql\n([\s\S]*?)```/g)]
  expect(watched.length).toBeGreaterThan(6)
  for (const [, statement = ''] of watched)
    expect([statement, await refusal('dba', statement)]).toEqual([statement, 'done'])
})

test('the roles bring the settings that a pooler drops', async () => {
  const [settings] = await database.sql`
    select json_object_agg(rolname, setconfig)::text as found
    from pg_db_role_setting join pg_roles on pg_roles.oid = setrole join pg_database on pg_database.oid = setdatabase
    where datname = current_database()`
  const having = (text: string) => expect.arrayContaining(text.split(' '))
  expect(JSON.parse(settings?.found)).toEqual({
    [roles.name('api')]: having('statement_timeout=5000 lock_timeout=3s jit=off'),
    [roles.name('worker')]: having('statement_timeout=30s lock_timeout=10s jit=off'),
    [roles.name('dba')]: having('default_transaction_read_only=on'),
  })
})

test('a login that lacks what its ROLES need does not start, nor one on a database that is behind', async () => {
  const serve = (login: RoleName, ROLES: string) =>
    run('the binary', ['serve'], {
      ...{ DATABASE_URL: roles.url(login), ROLES, PORT: '0', SECRETS_KEY: secretsKey },
    })
  for (const [login, part] of [['worker', 'api'] as const, ['api', 'worker'] as const])
    expect(await serve(login, part)).toMatchObject({
      code: 2,
      said: `DATABASE_URL: the login ${roles.name(login)} lacks the rights that ROLES=${part} needs (the role workspace_${part}); see docs/operations/rights.md.`,
    })
  const sql = connect({
    ...{ url: database.url, connectionsMax: 1, applicationName: 'test', statementTimeoutMs: 0 },
  })
  const [last] = await sql`
    delete from schema_migrations where number = (select max(number) from schema_migrations)
    returning number, name, sha256`
  const ended = await serve('worker', 'worker')
  await sql`insert into schema_migrations ${sql(last as never)}`
  await sql.end()
  const said = expect.stringContaining('migrate and roles are run as the owner')
  expect(ended).toMatchObject({ code: 2, said })
})

describe('an owner who is no superuser', () => {
  const shared = useDatabase(async () => 'template0')
  const made: string[] = []
  const names = { owner: `owner_${crypto.randomUUID().slice(0, 8)}` }
  let superuser: Sql

  const as = (role: string) => {
    const url = new URL(shared.url)
    ;[url.username, url.password] = [role, 'change me']
    return url.href
  }
  const newPrefix = () => {
    const prefix = `wda_${crypto.randomUUID().slice(0, 8)}`
    made.push(...roleNames.map(role => `${prefix}_${role}`))
    return prefix
  }
  const grant = async (prefix: string, role = names.owner) => {
    const { code, said } = await runHere(['roles', '--prefix', prefix], { DATABASE_URL: as(role) })
    return { code, said }
  }
  const may = async (role: string, privilege: string, table: string) =>
    (await superuser`select has_table_privilege(${role}, ${table}, ${privilege}) as may`)[0]?.may

  beforeAll(async () => {
    // As the page says it, on names of their own.
    const [, statements = ''] =
      /```psql\n([\s\S]*?)```/.exec(read('docs/operations/postgresql.md')) ?? []
    await shared.sql.end()
    const server = administer(serverUrl())
    await server.unsafe(`drop database ${shared.name}`)
    for (const statement of statements.trim().split(';\n'))
      await server.unsafe(
        statement
          .replaceAll('workspace_owner', names.owner)
          .replace(/database workspace\b/, `database ${shared.name}`),
      )
    await server.end()
    superuser = administer(withDatabaseName(serverUrl(), shared.name))
    expect((await runHere(['migrate'], { DATABASE_URL: as(names.owner) })).code).toBe(0)
    await superuser.unsafe(`
      create extension pgstattuple;
      create table others (id integer);
      create function others_secret() returns integer language sql security definer return 1`)
  })
  // Runs after the database was dropped, and with it all that was granted.
  afterAll(async () => {
    await superuser.end({ timeout: 0 })
    const server = administer(serverUrl())
    for (const role of [...made, names.owner]) await server.unsafe(`drop role if exists ${role}`)
    await server.end()
  })

  /** Rights on everything in the schema that is not the workspace's. */
  const othersRights = () => superuser`
    select proname as name, proacl::text as acl from pg_proc
    where pronamespace = 'public'::regnamespace and proowner <> ${names.owner}::text::regrole
    union all
    select relname, relacl::text from pg_class
    where relnamespace = 'public'::regnamespace and relowner <> ${names.owner}::text::regrole
    order by 1, 2`

  test('what belongs to others stays as it is, and a right that is granted no more goes', async () => {
    const before = await othersRights()
    for (const name of ['pgstattuple', 'others_secret'])
      expect(before.map(one => one.name)).toContain(name)
    const prefix = newPrefix()
    expect(await grant(prefix)).toEqual({ code: 0, said: '' })
    expect(await othersRights()).toEqual(before)
    expect(await may(`${prefix}_api`, 'select', 'leads')).toBe(true)
    expect(await may(`${prefix}_dba`, 'select', 'others')).toBe(false)
    const sql = administer(as(names.owner))
    await sql.unsafe(`
      grant delete on leads to ${prefix}_api;
      grant update (name) on leads to ${prefix}_api;
      grant update on sequence feed_sleep to ${prefix}_api;
      grant execute on function erase_kontakt to public`)
    await grantWorkspaceRoles(sql, { prefix, statementTimeoutMs: 5_000 })
    await sql.end()
    const [left] = await superuser`
      select has_table_privilege(${`${prefix}_api`}, 'leads', 'delete') as deletes,
        has_column_privilege(${`${prefix}_api`}, 'leads', 'name', 'update') as updates,
        has_sequence_privilege(${`${prefix}_api`}, 'feed_sleep', 'update') as sets,
        has_function_privilege(${`${prefix}_api`}, 'erase_kontakt(text)', 'execute') as erases`
    expect(left).toEqual({ deletes: false, updates: false, sets: false, erases: false } as never)
  })

  test('a refusal has its reason, and changes nothing', async () => {
    const prefix = newPrefix()
    const stranger = `${newPrefix()}_api`
    await superuser.unsafe(`
      create role ${stranger} login createrole password 'change me';
      grant connect on database ${shared.name} to ${stranger};
      grant select on schema_migrations, schema_functions to ${stranger}`)
    expect(await grant(prefix, stranger)).toEqual({
      code: 1,
      said: `roles changed nothing: the tables belong to ${names.owner}, and ${stranger} does not have its rights.`,
    })
    await superuser.unsafe(`revoke connect on database ${shared.name} from ${stranger}`)
    const { code, said } = await grant(prefix, stranger)
    expect([code, said]).toEqual([2, expect.stringContaining('see docs/operations/rights.md')])
    await superuser.unsafe(`alter role ${names.owner} nocreaterole`)
    expect(await grant(prefix)).toEqual({
      code: 1,
      said: `roles changed nothing: ${names.owner} may not make roles: alter role ${names.owner} createrole.`,
    })
    await superuser.unsafe(`alter role ${names.owner} createrole`)
    await superuser.unsafe(`create role ${prefix}_api superuser`)
    const why = /^roles changed nothing: (permission denied to alter role|must be su)/
    expect(await grant(prefix)).toEqual({ code: 1, said: expect.stringMatching(why) })
  })

  test.skipIf(Bun.which('psql') === null)(
    'the script runs in psql as its head describes',
    async () => {
      const [head = ''] = read('sql/roles/grant_roles.sql').split('\ndo $$')
      const steps = head.match(/^-- {3}.*$/gm)?.map(line => line.slice(5)) ?? []
      expect(steps).toHaveLength(5)
      const prefix = newPrefix()
      const script = steps.join('\n').replace("'workspace'", `'${prefix}'`)
      const command = ['psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', as(names.owner)]
      const { exitCode, stderr } = Bun.spawnSync(command, {
        cwd: root,
        stdin: Buffer.from(`${script}\n`),
      })
      expect([exitCode, stderr.toString()]).toEqual([0, ''])
      expect(await may(`${prefix}_worker`, 'select', 'events')).toBe(true)
    },
  )
})
