// The commands: mistakes, help, keys, hooks, erase; and how a program of each kind ends.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { makeSigningSecret, openSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { readSecretsKeys } from '../../src/secrets/secrets_key.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { secretsKey, testConfig } from '../support/http/settings.ts'
import {
  dump,
  emptyWorkspace,
  plant,
  sequence,
  subscribeToAll,
  tracesIn,
} from '../support/people/person_data.ts'
import { commandLine, missing, run, runtimes } from '../support/process/program.ts'
import { useReceiver } from '../support/receiver/receiver.ts'
import { until } from '../support/until.ts'
import { runHere } from './commands.ts'

const database = useDatabase()
const empty = useDatabase(async () => 'template0')
const receiver = useReceiver()
const keys = readSecretsKeys(testConfig())
const dir = makeDataDir('commands')
const caFile = join(dir, 'ca.pem')
const env = () => ({
  DATABASE_URL: database.url,
  SECRETS_KEY: secretsKey,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_CA_FILE: caFile,
})
beforeAll(() => writeFileSync(caFile, receiver.ca))
afterAll(() => removeDataDir(dir))

/** `ID` stands for the subscription of the test. */
const runLine = (line: string, more: Record<string, string> = {}) =>
  runHere(line.replace('ID', id).split(' '), { ...env(), ...more })
let id = crypto.randomUUID() as string

const away = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' }

test.each<[line: string, message: RegExp, env?: Record<string, string>]>([
  ['serv', /^There is no command serv\./],
  ['keys', /^There is no command keys\.\n\nUsage: (.*\n)+ {2}keys create --label L /],
  ['keys create', /^--label is missing\.\nUsage: keys create /],
  ['keys create --label', /^Option '--label <value>' argument missing\.\nUsage: /],
  ['keys create --lable x', /^Unknown option '--lable'\.\nUsage: keys create --label L /],
  ['keys create --label CRM System', /^System is one argument too many\./],
  ['keys create --label x --scopes read:all', /^There is no scope read:all\. Scopes: read:leads/],
  ['keys create --label x --expires 40', /^--expires takes a moment, such as /],
  ['keys revoke', /^KEY is missing\.\nUsage: keys revoke KEY$/],
  ['serve --port 80', /^Unknown option '--port'\.\nUsage: serve$/],
  ['hooks rotate x --again=yes', /^Option '--again' does not take an argument\./],
  ['roles --prefix 1abc', /^--prefix takes 1 to 40 lower-case letters, /],
  ['demo --leads 1.5', /^--leads takes a whole number from 1 to 1000000\.$/],
  ['health', /^health needs the PORT that the service listens on\.$/, { PORT: '0' }],
  ['hooks test x', /^ID is the id of a subscription, a UUID\.$/],
  ['hooks unsubscribe', /^There is no command hooks unsubscribe\./],
  ['help x', /^x is one argument too many\./],
  ['config', /^PORT must be .*\nLOG_LEVEL must be .*$/, { PORT: '99999', LOG_LEVEL: 'loud' }],
])('%s is a mistake, whether there is a database or not', async (line, message, more = {}) => {
  const ended = await runLine(line, { ...away, ...more })
  expect(ended).toEqual({ code: 2, out: '', said: expect.stringMatching(message) })
})

// The binary is the sources on Bun; test/blackbox runs more on each.
test('the binary: a mistake, help, an unreachable database', async () => {
  const given: [line: string, code: number, out: RegExp, said: RegExp][] = [
    ['keys create --lable x', 2, /^$/, /^Unknown option '--lable'\.\nUsage: /],
    ['hooks test -h', 0, /^Usage: (.*\n)+ {2}hooks test ID/, /^$/],
    ['-v', 0, /^\d+\.\d+\.\d+$/, /^$/],
    ['keys list', 1, /^$/, /^DATABASE_URL: no database answers at 127\.0\.0\.1:1 \(.+\)\.$/],
    ['config', 0, /DATABASE_URL=postgres:\/\/u:\*\*\*@127\.0\.0\.1:1\/x {2}# environment/, /^$/],
  ]
  for (const [line, code, out, said] of given) {
    const url = { DATABASE_URL: 'postgres://u:geheim@127.0.0.1:1/x' }
    const ended = await run('the binary', line.split(' '), url)
    expect([line, ended.code]).toEqual([line, code])
    expect(ended.out).toMatch(out)
    expect(ended.said).toMatch(said)
  }
}, 30_000)

test.each(runtimes.filter(one => one !== 'Bun' && missing(one) === undefined))(
  '%s: a reader that has gone ends the output without a fault',
  async runtime => {
    const command = [...(await commandLine(runtime)), 'openapi']
    const cut = Bun.spawnSync(['sh', '-c', '"$@" | head -c 1', 'sh', ...command])
    expect([cut.stdout.toString(), cut.stderr.toString()]).toEqual(['{', ''])
  },
  30_000,
)

test('a key is listed and revoked; its label cannot turn a terminal’s text around', async () => {
  expect(await runLine('keys list')).toEqual({ code: 0, out: '', said: 'There are no keys.' })
  const prefix = 'wda_BBBBBBBB'
  await factory.apiKey(database.sql, { prefix, label: 'CRM\u202egro.elpmaxe\u2028' })
  const listed = JSON.parse((await runLine('keys list')).out)
  expect(listed).toMatchObject({ prefix, label: 'CRM\ufffdgro.elpmaxe\ufffd', revoked_at: null })
  const revoked = await runLine(`keys revoke ${prefix}`)
  expect(revoked.out).toBe(`revoked ${prefix} (CRM\ufffdgro.elpmaxe\ufffd)`)
  expect(await runLine(`keys revoke ${prefix}`)).toMatchObject({
    code: 1,
    said: 'No live key has this text, prefix or id.',
  })
})

test('a database that is not at the schema is left as it is; one that takes no writes is named', async () => {
  expect(await runHere(['keys', 'list'], { DATABASE_URL: empty.url })).toEqual({
    code: 1,
    out: '',
    said: "The database is not at this program's schema: run the command migrate, or start the service, first.",
  })
  expect(await empty.sql`select from pg_tables where schemaname = 'public'`).toHaveLength(0)
  const readOnly = { DATABASE_URL: `${database.url}?default_transaction_read_only=on` }
  expect(await runLine('keys create --label CRM', readOnly)).toEqual({
    code: 1,
    out: '',
    said: expect.stringMatching(/^DATABASE_URL: the database takes no writes \(.+\)\.$/),
  })
})

test('a command whose connection is lost reports it, and one that waits for a lock gives up', async () => {
  const [lost, locked] = await database.sql.begin(async transaction => {
    await transaction`lock table api_keys in access exclusive mode`
    const revoking = runLine('keys revoke wda_CCCCCCCC')
    await until(async () => {
      const ended = await database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'workspace-data-api command' and wait_event_type = 'Lock'`
      return ended.length > 0
    })
    return [await revoking, await runLine('keys list')]
  })
  expect(lost).toEqual({
    code: 1,
    out: '',
    said: expect.stringMatching(
      /^The connection to the database was lost \(.+\)\. .* check before/,
    ),
  })
  expect(locked?.said).toEndWith('that does not end. Nothing was changed; try again.')
}, 20_000)

describe('hooks', () => {
  beforeAll(async () => {
    for (let cursor = 1; cursor <= 10; cursor += 1) await factory.event(database.sql, { cursor })
  })

  /** Of ten events 4 failed, 6 waits, 8 was delivered, 9 and 10 were not sent yet. */
  beforeEach(async () => {
    const { sql } = database
    await sql`truncate hook_subscriptions, hook_outstanding, hook_attempts`
    id = crypto.randomUUID()
    const secret = sealSecret(makeSigningSecret(), keys, id)
    await factory.hook(sql, { id, secret, target_url: receiver.url('/ok'), cursor: 8 })
    const of = { subscription_id: id }
    await factory.attempt(sql, { ...of, cursor: 4, outcome: 'f', status: 410 })
    await factory.attempt(sql, { ...of, cursor: 6, outcome: 'r', status: null, error_class: 'tls' })
    await factory.attempt(sql, { ...of, cursor: 8 })
    await factory.outstanding(sql, { ...of, cursor: 4, due_at: null })
    await factory.outstanding(sql, { ...of, cursor: 6, due_at: new Date(Date.now() + 60_000) })
  })

  const pause = () =>
    database.sql`update hook_subscriptions set active = false, paused_at = '2026-03-01T09:00Z' where id = ${id}`
  const unknown = '00000000-0000-4000-8000-000000000000'

  test.each<[line: string, code: number, out: RegExp, said: RegExp, before?: () => unknown]>([
    [
      'list',
      0,
      /"cursor":8,.*"waiting":1,"failed":1,"behind":2,.*"host":"127\.0\.0\.1:\d+"}$/,
      /^$/,
    ],
    [
      'deliveries ID',
      0,
      /^{"state":"failed","cursor":4.*410.*\n.*"waiting","cursor":6.*"tls".*\n.*"delivered","cursor":8/,
      /^not sent yet, after cursor 8: 2$/,
    ],
    ['deliveries ID --state lost', 2, /^$/, /^--state takes one of failed, waiting, delivered\.$/],
    ['deliveries ID --state waiting', 0, /^{"state":"waiting",.*}$/, /./],
    ['test ID', 0, /^test event accepted: 200 in \d+ ms$/, /^$/],
    ['test ID --type signal.opened', 1, /^$/, /^The subscription does not list this event type; /],
    ['pause ID --reason Umzug', 0, /^paused /, /^$/],
    ['reactivate ID', 0, /^reactivated \S+$/, /^$/, pause],
    [
      'reactivate ID --from-head',
      0,
      /\nGET \/events\?after=3 has what it is not sent$/,
      /^$/,
      pause,
    ],
    ['reactivate ID', 1, /^$/, /^This subscription is active already\.$/],
    ['replay ID --after 2', 0, /^everything after cursor 2 is sent again; it had reached 8$/, /^$/],
    ['replay ID --since 2020-01-01T00:00:00Z', 0, /^everything after cursor 0 is sent/, /^$/],
    ['replay ID --after 9', 1, /^$/, /^The subscription stands at cursor 8, .*\.$/],
    ['replay ID', 2, /^$/, /^hooks replay takes --since or --after\.$/],
    ['replay ID --since gestern', 2, /^$/, /^--since takes a moment, such as /],
    ['redeliver ID --cursor 8', 0, /^1 of 1 sent again$/, /^$/],
    ['redeliver ID --failed', 0, /^1 of 1 sent again$/, /^$/],
    [
      'redeliver ID --cursor 6',
      1,
      /^0 of 1 sent again$/,
      /^6: Its next attempt is due already\.\n/,
    ],
    ['redeliver ID --cursor 99', 1, /^0 of 1 /, /^99: The feed no longer holds the event/],
    ['redeliver ID --failed --cursor 4', 2, /^$/, /^hooks redeliver takes --failed or --cursor\.$/],
    ['dismiss ID', 0, /^1 dismissed$/, /^$/],
    ['switch ID', 1, /^$/, /^No subscription of this id has an old secret that leads\.$/],
    ...['deliveries', 'test', 'pause', 'reactivate', 'dismiss', 'rotate'].map(
      name => [`${name} ${unknown}`, 1, /^$/, /^No subscription has this id\.$/] as never,
    ),
  ])('%s ends with %i', async (line, code, out, said, before) => {
    await before?.()
    const ended = await runLine(`hooks ${line}`)
    expect(ended.code).toBe(code)
    expect(ended.out).toMatch(out)
    expect(ended.said).toMatch(said)
  })

  test('a test event comes to a paused subscription too, marked and signed, and leaves no trace; a refusal is a failure', async () => {
    await receiver.forget()
    await pause()
    await runLine('hooks test ID')
    const [{ headers, body } = { headers: {}, body: '' }] = await receiver.requests('/ok')
    const [stored] = await database.sql`select secret, active from hook_subscriptions`
    const event = new Webhook(openSecret(stored?.secret, keys, id)).verify(body, headers)
    expect([event, headers, stored?.active]).toMatchObject([
      { event_type: 'lead.created' },
      { 'webhook-test': 'true', 'x-service-signature': expect.stringMatching(/^v1=/) },
      false,
    ])
    expect(headers).not.toHaveProperty('x-service-cursor')
    expect(await database.sql`select from hook_attempts`).toHaveLength(3)
    const { id: eventId } = event as { id: string }
    expect(await database.sql`select from events where id = ${eventId}`).toHaveLength(0)
    await receiver.answer('/ok', 503)
    const refused = await runLine('hooks test ID')
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.said).toMatch(/^The test event was not accepted: 503 in \d+ ms/)
    await receiver.heal('/ok')
  })

  test('a rotation prints the new secret alone; another needs --again while the old one leads', async () => {
    const { out } = await runLine('hooks rotate ID')
    const [stored] = await database.sql`select secret from hook_subscriptions`
    expect(openSecret(stored?.secret, keys, id)).toBe(out)
    expect((await runLine('hooks list')).out).toContain('"old_secret_leads":true')
    const refused = await runLine('hooks rotate ID')
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.said).toContain(`hooks switch ${id}`)
    expect((await runLine('hooks rotate ID --again')).out).toStartWith('whsec_')
    expect((await runLine('hooks switch ID')).out).toBe(`the new secret of ${id} leads`)
  })
})

describe('erase', () => {
  beforeEach(() => emptyWorkspace(database.sql))
  const erase = (...args: string[]) => runHere(['erase', ...args], env())

  test('without --yes it shows what there is; with it the person goes, and the report names who received', async () => {
    const { sql } = database
    const hook = await subscribeToAll(sql, 'CRM')
    const person = await plant(sql, 'Kornelkirsche', '8883001')
    await sequence(sql)
    // Else all of the events may be under way to it.
    await sql`update hook_subscriptions set cursor = (select head from feed_state)`
    const started_at = factory.moment
    await factory.attempt(sql, { subscription_id: hook, cursor: 1, started_at })
    const report = {
      canonical_key: `email:${person.email}`,
      counts: { leads: 2 },
      recipients: [{ subscription_id: hook, label: 'CRM', host: 'crm.example.com', received: 1 }],
    }
    const shown = await erase('0171 8883001')
    expect(JSON.parse(shown.out)).toMatchObject({ erased: false, ...report })
    expect(shown.said).toEndWith('Nothing was erased: --yes erases all of this for good.')
    expect(await sql`select from leads`).toHaveLength(2)
    const erased = await erase('0171 8883001', '--yes')
    expect(JSON.parse(erased.out)).toMatchObject({ erased: true, ...report })
    expect(tracesIn(await dump(sql), person)).toEqual({})
    const said = 'Nothing is stored of this person.'
    expect(await erase(person.email, '--yes')).toEqual({ code: 1, out: '', said })
  }, 60_000)

  test('what is no key is a mistake; where a session does not let go, nothing is erased', async () => {
    expect(await erase('Erika', '--yes')).toMatchObject({ code: 2, out: '' })
    const { sql } = database
    await factory.lead(sql, { email: 'a@example.org' })
    await sql.begin(async transaction => {
      await transaction`update leads set archived_at = now()`
      const { code, said } = await erase('a@example.org', '--yes')
      expect([code, said]).toEqual([1, expect.stringContaining('Nothing was changed; try again.')])
    })
    expect(await sql`select from leads`).toHaveLength(1)
  }, 30_000)
})
