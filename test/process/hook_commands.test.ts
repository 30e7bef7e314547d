// The commands hooks …: what an operator without a dashboard does, and how each explains a failure.
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeSigningSecret, openSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { readSecretsKeys } from '../../src/secrets/secrets_key.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { secretsKey, testConfig } from '../support/http/settings.ts'
import { useReceiver } from '../support/receiver/receiver.ts'
import { runHere } from './commands.ts'

const database = useDatabase()
const receiver = useReceiver()
const keys = readSecretsKeys(testConfig())
const unknown = '00000000-0000-4000-8000-000000000000'
const dataDir = makeDataDir('hooks')
const caFile = join(dataDir, 'ca.pem')
let id = ''

afterAll(() => removeDataDir(dataDir))

const run = (args: string, settings: Record<string, string> = {}) =>
  runHere(['hooks', ...args.replace('ID', id).split(' ')], {
    DATABASE_URL: database.url,
    SECRETS_KEY: secretsKey,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: caFile,
    ...settings,
  })

beforeAll(async () => {
  writeFileSync(caFile, receiver.ca)
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

type Case = [args: string, code: number, out: RegExp, said: RegExp, before?: () => unknown]

const cases: Case[] = [
  [
    'list',
    0,
    /active {2}127\.0\.0\.1:\d+ {2}lead\.created {2}position 8 {2}2 behind {2}1 waiting {2}1 failed {2}none missed {2}one secret/,
    /^id {2}state {2}host/,
  ],
  ['list', 0, /paused 2026-03-01T09:00:00\S+, 10 final failures in a row/, /^id/, pause],
  [
    'list',
    0,
    /^$/,
    /^There are no subscriptions\.$/,
    () => database.sql`truncate hook_subscriptions`,
  ],
  [
    'deliveries ID',
    0,
    /^4 {2}failed .*410 .*\n6 {2}waiting .*1 attempt {2}tls .*\n8 {2}delivered .*200 /,
    /2 not sent yet, after cursor 8$/,
  ],
  [
    'deliveries ID --state waiting',
    0,
    /^6 {2}waiting {2}lead\.created {2}\S+ {2}1 attempt {2}tls {2}2\S+$/,
    /^cursor {2}state/,
  ],
  ['deliveries ID --state lost', 2, /^$/, /^--state takes one of failed, waiting, delivered\.$/],
  ['test ID', 0, /^test event accepted: 200 in \d+ ms$/, /^$/],
  ['test ID', 0, /^test event accepted/, /^$/, pause],
  [
    'test ID --type signal.opened',
    1,
    /^$/,
    /^The subscription does not list this event type; it lists lead\.created\.$/,
  ],
  ['pause ID --reason Umzug', 0, /^paused /, /^$/],
  ['reactivate ID', 0, /^reactivated \S+$/, /^$/, pause],
  [
    'reactivate ID --from-head',
    0,
    /^reactivated .*\nGET \/events\?after=3 has what it is not sent$/,
    /^$/,
    pause,
  ],
  ['reactivate ID', 1, /^$/, /^This subscription is active already\.$/],
  ['replay ID --after 2', 0, /^everything after cursor 2 is sent again; it had reached 8$/, /^$/],
  ['replay ID --since 2020-01-01T00:00:00Z', 0, /^everything after cursor 0 is sent again/, /^$/],
  ['replay ID --after 9', 1, /^$/, /^The subscription stands at cursor 8, .*\.$/],
  ['replay ID', 2, /^$/, /^hooks replay takes --since or --after\.$/],
  ['replay ID --since gestern', 2, /^$/, /^--since takes a moment, such as /],
  ['redeliver ID --cursor 8', 0, /^1 of 1 sent again$/, /^$/],
  ['redeliver ID --failed', 0, /^1 of 1 sent again$/, /^$/],
  [
    'redeliver ID --cursor 6',
    1,
    /^0 of 1 sent again$/,
    /^6: Its next attempt is due already\.\nNot all were sent again\.$/,
  ],
  ['redeliver ID --cursor 9', 1, /^0 of 1 sent again$/, /^9: It has not been sent yet, /],
  ['redeliver ID --cursor 99', 1, /^0 of 1 sent again$/, /^99: The feed no longer holds the event/],
  ['redeliver ID --failed --cursor 4', 2, /^$/, /^hooks redeliver takes --failed or --cursor\.$/],
  ['redeliver ID --cursor -4', 2, /^$/, /argument is ambiguous/],
  ['dismiss ID', 0, /^1 dismissed$/, /^$/],
  ['switch ID', 1, /^$/, /^No subscription of this id has an old secret that leads\.$/],
  ['unsubscribe', 2, /^$/, /^There is no command hooks unsubscribe\./],
  ['test x', 2, /^$/, /^ID is the id of a subscription, a UUID\.$/],
  ...['deliveries', 'test', 'pause', 'reactivate', 'dismiss', 'rotate'].map(
    (name): Case => [`${name} ${unknown}`, 1, /^$/, /^No subscription has this id\.$/],
  ),
  [`redeliver ${unknown} --failed`, 1, /^$/, /^No subscription has this id\.$/],
  [`replay ${unknown} --after 1`, 1, /^$/, /^There is no subscription with this id\.$/],
]

test.each(cases)('hooks %s ends with %i', async (args, code, out, said, before) => {
  await before?.()
  // A mistake in the command line is one whether there is a database or not.
  const away = code === 2 ? { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' } : {}
  const ended = await run(args, away)
  expect(ended).toEqual({
    code,
    out: expect.stringMatching(out),
    said: expect.stringMatching(said),
  })
})

test('a test event is marked and signed, has no cursor, and leaves no trace', async () => {
  await receiver.forget()
  await run('test ID')
  const [request] = await receiver.requests('/ok')
  const { headers, body } = request as NonNullable<typeof request>
  expect(headers).toMatchObject({
    'webhook-test': 'true',
    'x-service-signature': expect.stringMatching(/^v1=[\da-f]{64}$/),
    traceparent: expect.stringMatching(/^00-/),
  })
  expect(headers).not.toHaveProperty('x-service-cursor')
  const event = JSON.parse(body)
  expect(event).toMatchObject({ id: headers['webhook-id'], event_type: 'lead.created' })
  expect(Date.now() - Date.parse(event.occurred_at)).toBeLessThan(60_000)
  const [row] = await database.sql`
    select cursor::integer, version, (select count(*)::integer from hook_attempts) as attempts from hook_subscriptions`
  expect(row).toEqual({ cursor: 8, version: 1, attempts: 3 })
})

test('a test event that is not accepted is a failure with the answer', async () => {
  await receiver.answer('/ok', 503)
  const ended = await run('test ID')
  expect([ended.code, ended.out]).toEqual([1, ''])
  expect(ended.said).toMatch(/^The test event was not accepted: 503 in \d+ ms/)
  await receiver.heal('/ok')
})

test('a rotation prints the new secret alone; another one needs --again while the old one leads', async () => {
  const stored = async () =>
    (await database.sql`select secret, old_secret from hook_subscriptions where id = ${id}`)[0]
  const newKey = Buffer.alloc(32, 9)
  const both = { SECRETS_KEY: `${newKey.toString('base64')},${secretsKey}` }
  const rotated = await run('rotate ID', both)
  const between = await stored()
  expect(openSecret(between?.secret, [newKey], id)).toBe(rotated.out)
  expect((await run('list', both)).out).toMatch(/two secrets until \S+, the old one leads/)
  const refused = await run('rotate ID', both)
  expect([refused.code, refused.out, refused.said]).toEqual([
    1,
    '',
    expect.stringContaining(`hooks switch ${id}`),
  ])
  expect(await stored()).toEqual(between)
  expect((await run('rotate ID --again', both)).code).toBe(0)
  expect((await stored())?.old_secret).toBe(between?.secret)
  expect((await run('switch ID', both)).out).toBe(`the new secret of ${id} leads`)
}, 20_000)
