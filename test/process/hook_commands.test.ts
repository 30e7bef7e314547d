// The owner's commands do what the dashboard does, without a browser.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeSigningSecret, openSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { readSecretsKeys } from '../../src/secrets_key.ts'
import { useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'
import { endDeliveries } from '../support/recording.ts'
import { secretsKey, testConfig } from '../support/settings.ts'

const database = useDatabase()

const run = (...args: string[]) => runWith({}, ...args)

async function runWith(settings: Record<string, string>, ...args: string[]) {
  const command = Bun.spawn(['bun', join(import.meta.dir, '../../src/main.ts'), 'hooks', ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: database.url,
      SECRETS_KEY: secretsKey,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, said] = await Promise.all([
    new Response(command.stdout).text(),
    new Response(command.stderr).text(),
  ])
  return { code: await command.exited, out: out.trim(), said: said.trim() }
}

const keys = () => readSecretsKeys(testConfig())

async function subscribe() {
  const id = crypto.randomUUID()
  await factory.hook(database.sql, { id, secret: sealSecret(makeSigningSecret(), keys(), id) })
  return id
}

test('a test event, a list of deliveries, and one of them again', async () => {
  const id = await subscribe()
  const sent = await run('test', id, '--type', 'lead.created')
  const [, delivery = ''] = /as delivery (\d+)$/.exec(sent.out) ?? []
  expect([sent.code, delivery === '']).toEqual([0, false])
  await endDeliveries(database.sql, id, 'failed')
  const listed = await run('deliveries', id)
  expect(listed.out).toStartWith(`${delivery}  failed  lead.created  `)
  expect((await run('redeliver', delivery)).out).toBe(`delivery ${delivery} is on its way again`)
  const [row] = await database.sql`select state from hook_deliveries where id = ${delivery}`
  expect(row?.state).toBe('pending')
})

test('a rotation prints the new secret alone, and a switch lets it lead', async () => {
  const id = await subscribe()
  const rotated = await run('rotate', id)
  const [row] =
    await database.sql`select secret, old_secret_leads from hook_subscriptions where id = ${id}`
  expect([openSecret(row?.secret, keys(), id), row?.old_secret_leads]).toEqual([rotated.out, true])
  expect((await run('switch', id)).code).toBe(0)
  const again = await run('switch', id)
  expect([again.code, again.out]).toEqual([2, ''])
})

test('with a new key in front of the old one a rotation encrypts with the new one', async () => {
  const id = await subscribe()
  const newKey = Buffer.alloc(32, 9)
  const both = `${newKey.toString('base64')},${secretsKey}`
  const rotated = await runWith({ SECRETS_KEY: both }, 'rotate', id)
  const [row] = await database.sql`select secret from hook_subscriptions where id = ${id}`
  // The other tests have the old key alone.
  await database.sql`delete from hook_subscriptions where id = ${id}`
  expect(openSecret(row?.secret, [newKey], id)).toBe(rotated.out)
})

test('the secret of notices is the same every time', async () => {
  const [one, other] = await Promise.all([run('notice-secret'), run('notice-secret')])
  expect(one.out).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(one.out).toBe(other.out)
})

test.each(
  [
    ['test', 'no-uuid'],
    ['test', crypto.randomUUID()],
    ['rotate', crypto.randomUUID()],
    ['redeliver', '0'],
    ['redeliver', '999999'],
    ['deliveries', crypto.randomUUID(), '--state', 'lost'],
    ['unsubscribe'],
  ].map(args => ({ line: args.join(' '), args })),
)('hooks $line is refused with a sentence', async ({ args }) => {
  const { code, out, said } = await run(...args)
  expect([code, out]).toEqual([2, ''])
  expect(said).toMatch(/\.$/)
})
