// The command roles as an owner who is no superuser, in a schema that holds what belongs to others; refusals that say why;
// and the script by hand, in psql.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrateDatabase } from '../../src/api/start.ts'
import type { Sql } from '../../src/db/connect.ts'
import { grantWorkspaceRoles } from '../../src/db/roles.ts'
import { databaseUrl, dropDatabase, serverUrl } from '../support/database/database.ts'
import { roleNames } from '../support/database/roles.ts'
import { administer } from '../support/database/server.ts'
import { run as runOn } from '../support/process/program.ts'

const root = join(import.meta.dir, '../..')
const owner = `owner_${randomBytes(5).toString('hex')}`
// As the page says it, on names of their own.
const page = readFileSync(join(root, 'docs/operations/postgresql.md'), 'utf8')
const statements = /```psql\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
const password = 'change me'
const madeRoles: string[] = []
const database = `wda_test_${randomBytes(6).toString('hex')}`
let superuser: Sql

const as = (role: string) => {
  const url = new URL(databaseUrl(database))
  url.username = role
  url.password = password
  return url.href
}

const newPrefix = () => {
  const prefix = `wda_${randomBytes(5).toString('hex')}`
  madeRoles.push(...roleNames.map(role => `${prefix}_${role}`))
  return prefix
}

beforeAll(async () => {
  const server = administer(serverUrl())
  for (const statement of statements.trim().split(';\n'))
    await server.unsafe(
      statement
        .replaceAll('workspace_owner', owner)
        .replace(/database workspace\b/, `database ${database}`),
    )
  await server.end()
  superuser = administer(databaseUrl(database))
  await migrateDatabase(as(owner))
  await superuser.unsafe(`
    create extension pgstattuple;
    create table others (id integer);
    create function others_secret() returns integer language sql security definer return 1`)
}, 60_000)
afterAll(async () => {
  await superuser.end()
  await dropDatabase(database)
  const sql = administer(serverUrl())
  for (const role of [...madeRoles, owner]) await sql.unsafe(`drop role if exists ${role}`)
  await sql.end()
})

async function run(url: string, ...args: string[]) {
  const { code, said } = await runOn('the binary', ['roles', ...args], { DATABASE_URL: url })
  return { code, said }
}

/** Rights on everything in the schema that is not the workspace's. */
const othersRights = () => superuser`
  select proname as name, proacl::text as acl from pg_proc
  where pronamespace = 'public'::regnamespace and proowner <> ${owner}::text::regrole
  union all
  select relname, relacl::text from pg_class
  where relnamespace = 'public'::regnamespace and relowner <> ${owner}::text::regrole
  order by 1, 2`

const may = async (role: string, privilege: string, table: string) =>
  (await superuser`select has_table_privilege(${role}, ${table}, ${privilege}) as may`)[0]?.may

test('what belongs to an extension or to another owner stays as it is', async () => {
  const before = await othersRights()
  expect(before.map(({ name }) => name)).toContain('pgstattuple')
  expect(before.map(({ name }) => name)).toContain('others_secret')
  const prefix = newPrefix()
  expect(await run(as(owner), '--prefix', prefix)).toEqual({ code: 0, said: '' })
  expect(await othersRights()).toEqual(before)
  expect(await may(`${prefix}_api`, 'select', 'leads')).toBe(true)
  expect(await may(`${prefix}_dba`, 'select', 'others')).toBe(false)
  const [erasing] = await superuser`
    select has_function_privilege(${`${prefix}_dashboard`}, 'erase_kontakt(text)', 'execute') as dashboard,
      has_function_privilege(${`${prefix}_worker`}, 'erase_kontakt(text)', 'execute') as worker`
  expect(erasing).toMatchObject({ dashboard: true, worker: false })
}, 30_000)

test('a right that is granted no more goes, also on a sequence and on one column', async () => {
  const prefix = newPrefix()
  const sql = administer(as(owner))
  const options = { prefix, statementTimeoutMs: 5_000 }
  try {
    await grantWorkspaceRoles(sql, options)
    await sql.unsafe(`
      grant delete on leads to ${prefix}_api;
      grant update (name) on leads to ${prefix}_api;
      grant update on sequence feed_sleep to ${prefix}_api;
      grant execute on function erase_kontakt to public`)
    await grantWorkspaceRoles(sql, options)
  } finally {
    await sql.end()
  }
  const [left] = await superuser`
    select has_table_privilege(${`${prefix}_api`}, 'leads', 'delete') as deletes,
      has_column_privilege(${`${prefix}_api`}, 'leads', 'name', 'update') as updates,
      has_sequence_privilege(${`${prefix}_api`}, 'feed_sleep', 'update') as sets,
      has_function_privilege(${`${prefix}_api`}, 'erase_kontakt(text)', 'execute') as erases`
  expect(left).toEqual({ deletes: false, updates: false, sets: false, erases: false } as never)
}, 30_000)

test('a role that does not own the tables is told whose they are, and changes nothing', async () => {
  const prefix = newPrefix()
  const stranger = newPrefix()
  await superuser.unsafe(`
    create role ${stranger}_api login createrole password '${password}';
    grant connect on database ${database} to ${stranger}_api;
    grant select on schema_migrations, schema_functions to ${stranger}_api`)
  expect(await run(as(`${stranger}_api`), '--prefix', prefix)).toEqual({
    code: 1,
    said: `roles changed nothing: the tables belong to ${owner}, and ${stranger}_api does not have its rights.`,
  })
  expect(await superuser`select from pg_roles where rolname like ${`${prefix}%`}`).toHaveLength(0)
}, 30_000)

test('a login that belongs to no role cannot connect any more, and learns what it lacks', async () => {
  const prefix = newPrefix()
  const stranger = newPrefix()
  expect((await run(as(owner), '--prefix', prefix)).code).toBe(0)
  await superuser.unsafe(`create role ${stranger}_api login password '${password}'`)
  expect(await run(as(`${stranger}_api`), '--prefix', prefix)).toEqual({
    code: 2,
    said: expect.stringMatching(
      new RegExp(
        `^DATABASE_URL: this login may not do what is needed here \\(.+ database "${database}"\\); see docs/operations/rights.md`,
      ),
    ),
  })
}, 30_000)

test('an owner who may make no roles is told so', async () => {
  await superuser.unsafe(`alter role ${owner} nocreaterole`)
  try {
    expect(await run(as(owner), '--prefix', newPrefix())).toEqual({
      code: 1,
      said: `roles changed nothing: ${owner} may not make roles: alter role ${owner} createrole.`,
    })
  } finally {
    await superuser.unsafe(`alter role ${owner} createrole`)
  }
}, 30_000)

test('what the server refuses is told with the server’s own reason', async () => {
  const prefix = newPrefix()
  await superuser.unsafe(`create role ${prefix}_api superuser`)
  const { code, said } = await run(as(owner), '--prefix', prefix)
  expect(code).toBe(1)
  expect(said).toMatch(
    /^roles changed nothing: (permission denied to alter role|must be superuser).*\.$/,
  )
}, 30_000)

const psql = Bun.which('psql')

test.skipIf(psql === null)(
  `the script runs in psql as its head says${psql === null ? ' (skipped: there is no psql here)' : ''}`,
  async () => {
    const head = (await Bun.file(join(root, 'sql/roles/grant_roles.sql')).text()).split(
      '\ndo $$',
    )[0]
    const steps = head?.match(/^-- {3}.*$/gm)?.map(line => line.slice(5)) ?? []
    expect(steps).toHaveLength(5)
    const prefix = newPrefix()
    const script = steps.join('\n').replace("'workspace'", `'${prefix}'`)
    const child = Bun.spawn(['psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', as(owner)], {
      cwd: root,
      stdin: new Blob([`${script}\n`]),
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    expect([await child.exited, said]).toEqual([0, ''])
    expect(await may(`${prefix}_worker`, 'select', 'events')).toBe(true)
    const [settings] = await superuser`
      select array_to_string(setconfig, ' ') as found from pg_db_role_setting where setrole = ${`${prefix}_api`}::text::regrole`
    expect(settings?.found).toContain('statement_timeout=5000')
  },
  30_000,
)
