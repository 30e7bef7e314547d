// The command erase: asks on a terminal, wants --yes without one, and prints who had received something.
import { beforeEach, expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import {
  dump,
  emptyWorkspace,
  plant,
  sequence,
  subscribeToAll,
  tracesIn,
} from '../support/people/person_data.ts'
import { commandLine } from '../support/process/program.ts'
import { runHere } from './commands.ts'

const database = useDatabase()
const path = process.env.PATH ?? ''

async function run(command: string[], typed?: string) {
  const child = Bun.spawn(command, {
    env: { PATH: path, DATABASE_URL: database.url },
    stdio: [typed === undefined ? 'ignore' : new Blob([typed]), 'pipe', 'pipe'],
  })
  const [out, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, out, said }
}

const erase = (...args: string[]) => runHere(['erase', ...args], { DATABASE_URL: database.url })

beforeEach(() => emptyWorkspace(database.sql))

test('with --yes the person goes, and the report is on stdout', async () => {
  const { sql } = database
  const hook = await subscribeToAll(sql, 'CRM')
  const person = await plant(sql, 'Kornelkirsche', '8883001')
  await sequence(sql)
  // Else all of the events may be under way to it.
  await sql`update hook_subscriptions set cursor = (select head from feed_state)`
  const started_at = factory.moment
  await factory.attempt(sql, { subscription_id: hook, cursor: 1, started_at })
  const { code, out } = await erase('0171 8883001', '--yes')
  expect(code).toBe(0)
  const lines = out.split('\n')
  expect(lines[0]).toBe(`erased email:${person.email}`)
  expect(lines[1]).toStartWith('keys: email:')
  expect(lines).toContain('leads: 2')
  expect(lines.find(line => line.includes(hook))).toBe(
    `  ${hook}  crm.example.com (CRM)  received 1  2026-03-01T12:00:00+00:00 to 2026-03-01T12:00:00+00:00  lead.created`,
  )
  expect(tracesIn(await dump(sql), person)).toEqual({})
  expect(await erase(person.email, '--yes')).toEqual({
    code: 1,
    out: '',
    said: 'Nothing is stored of this person.',
  })
}, 60_000)

test('the report names a webhook whose target was written by hand and is no address', async () => {
  const { sql } = database
  const hook = await subscribeToAll(sql, 'CRM')
  await factory.lead(sql, { email: 'a@example.org' })
  await sequence(sql)
  await factory.attempt(sql, { subscription_id: hook, cursor: 1, started_at: factory.moment })
  await sql`update hook_subscriptions set target_url = 'https://' where id = ${hook}`
  const { code, out } = await erase('a@example.org', '--yes')
  expect([code, out.includes(`${hook}  no address (CRM)  received 1`)]).toEqual([0, true])
  await sql`delete from hook_subscriptions where id = ${hook}`
}, 30_000)

test('leads that had the address once are named, to be erased by their ids', async () => {
  const { sql } = database
  const lead = await factory.lead(sql, { email: 'old@example.org', phone: null })
  await sequence(sql)
  await sql`update leads set email = 'new@example.org'`
  const { out } = await erase('old@example.org', '--yes')
  expect(out.split('\n')).toContain(
    `not erased, because they once had one of the keys (according to events, analyses or signals) and have other keys now: lead:${lead.id}`,
  )
  expect((await erase(`lead:${lead.id}`, '--yes')).out).toStartWith('erased email:new@example.org')
}, 30_000)

test.each([
  [[], 2, 'KEY is missing'],
  [['a@example.org'], 2, 'give --yes where there is no terminal'],
  [['Erika', '--yes'], 2, 'no email address, phone number or id of a lead'],
  [['a@example.org', 'b@example.org', '--yes'], 2, 'one argument too many'],
])('%p is refused', async (args, code, said) => {
  const refused = await erase(...args)
  expect([refused.code, refused.out]).toEqual([code, ''])
  expect(refused.said).toContain(said)
})

test.each([
  ['the tables of deliveries', 'lock table hook_attempts in row exclusive mode'],
  ['rows of the person', 'update leads set archived_at = now()'],
])(
  'where another session does not let go of %s, nothing is erased, and it says so',
  async (_, statement) => {
    const { sql } = database
    await factory.hook(sql)
    await factory.lead(sql, { email: 'a@example.org' })
    await sql.begin(async transaction => {
      await transaction.unsafe(statement)
      const { code, out, said } = await erase('a@example.org', '--yes')
      expect([code, out]).toEqual([1, ''])
      expect(said).toContain('Nothing was erased; try again.')
    })
    expect(await sql`select from leads`).toHaveLength(1)
    expect((await erase('a@example.org', '--yes')).code).toBe(0)
  },
  30_000,
)

// script, of util-linux, makes a terminal.
const terminal = Bun.which('script')

test.skipIf(terminal === null)(
  'on a terminal it shows what there is and wants the key typed again',
  async () => {
    await factory.lead(database.sql, { email: 'a@example.org' })
    const command = (await commandLine('Bun')).join(' ')
    const ask = (typed: string) =>
      run(['script', '-qec', `${command} erase a@example.org`, '/dev/null'], typed)
    const wrong = await ask('b@example.org\n')
    expect(wrong.out).toContain('leads: 1')
    expect(wrong.out).toContain('Nothing was erased.')
    expect((await database.sql`select from leads`).length).toBe(1)
    const right = await ask(' A@example.org\n')
    expect(right.out).toContain('erased email:a@example.org')
    expect((await database.sql`select from leads`).length).toBe(0)
  },
  60_000,
)
