// The owner's commands do what the dashboard does, without a browser.
import { expect, test } from 'bun:test'
import { makeSigningSecret, openSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { readSecretsKeys } from '../../src/secrets/secrets_key.ts'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { endDeliveries } from '../support/delivery/recording.ts'
import { secretsKey, testConfig } from '../support/http/settings.ts'
import { run as runOn } from '../support/process/program.ts'

const database = useDatabase()

const run = (...args: string[]) => runWith({}, ...args)

const runWith = (settings: Record<string, string>, ...args: string[]) =>
  runOn('the binary', ['hooks', ...args], {
    DATABASE_URL: database.url,
    SECRETS_KEY: secretsKey,
    ...settings,
  })

const keys = () => readSecretsKeys(testConfig())

async function subscribe() {
  const id = crypto.randomUUID()
  await factory.hook(database.sql, { id, secret: sealSecret(makeSigningSecret(), keys(), id) })
  return id
}

const nextCursor = async (): Promise<number> => {
  const [row] = await database.sql`select head from feed_state`
  return Number(row?.head) + 1
}

/** What `hooks list` says of a subscription. */
const listed = async (id: string): Promise<string[]> =>
  (await run('list')).out
    .split('\n')
    .map(line => line.split('  '))
    .find(([first]) => first === id) ?? []

test('where there are none, the list says so on stderr', async () => {
  const { code, out, said } = await run('list')
  expect([code, out, said]).toEqual([0, '', 'There are no subscriptions.'])
})

test('a test event is on its way, and can be sent again', async () => {
  const id = await subscribe()
  const sent = await run('test', id, '--type', 'lead.created')
  const [, cursor = ''] = /on its way as (-\d+)$/.exec(sent.out) ?? []
  expect([sent.code, cursor === '']).toEqual([0, false])
  expect((await run('deliveries', id, '--state', 'pending')).out).toStartWith(
    `${cursor}  pending  lead.created  `,
  )
  await database.sql`delete from hook_retries`
  expect((await run('redeliver', id, cursor)).out).toBe(`${cursor} is on its way again`)
  const [row] = await database.sql`select cursor from hook_retries`
  expect(String(row?.cursor)).toBe(cursor)
})

test('one whose target was written by hand and is no address keeps no other from being listed', async () => {
  const [id, other] = [await subscribe(), await subscribe()]
  await database.sql`update hook_subscriptions set target_url = 'https://' where id = ${id}`
  expect((await listed(id))[2]).toBe('no address')
  expect((await listed(other))[2]).toBe('hooks.example.com')
  await database.sql`delete from hook_subscriptions where id = ${id}`
})

test('what failed is listed, sent again one by one or all at once, or dismissed', async () => {
  const id = await subscribe()
  const first = await nextCursor()
  for (let cursor = first; cursor < first + 4; cursor += 1)
    await factory.event(database.sql, { cursor })
  await endDeliveries(database.sql, id, 'failed', 3)
  expect((await listed(id))[5]).toBe('3 failed')
  const { out } = await run('deliveries', id)
  expect(out.split('\n').map(line => line.split('  ').slice(0, 3))).toEqual(
    [first + 2, first + 1, first].map(cursor => [String(cursor), 'failed', 'lead.created']),
  )
  expect((await run('redeliver', id, String(first))).out).toBe(`${first} is on its way again`)
  expect((await listed(id)).slice(5, 7)).toEqual(['2 failed', '1 pending'])
  const pending = await run('deliveries', id, '--state', 'pending')
  expect(pending.out.split('\n').at(-1)).toBe(`not tried yet: 1, from cursor ${first + 3} on`)
  expect((await run('deliver-missed', id)).out).toBe('2 missed deliveries are on the way')
  expect((await listed(id)).slice(5, 7)).toEqual(['0 failed', '3 pending'])
  await endDeliveries(database.sql, id, 'failed', 1)
  expect((await run('dismiss', id)).out).toBe('1 missed delivery is dismissed')
  expect((await listed(id)).slice(5, 7)).toEqual(['0 failed', '3 pending'])
})

test('a delivery that has failed, or is tried again, says why', async () => {
  const id = await subscribe()
  const cursor = await nextCursor()
  await factory.event(database.sql, { cursor })
  await factory.event(database.sql, { cursor: cursor + 1 })
  const { no } = await factory.position(database.sql, id, { cursor: cursor + 1 })
  for (const status of [500, 503])
    await factory.attempt(database.sql, { no, cursor, status, outcome: 'f', error_class: 'status' })
  await factory.failure(database.sql, { no, cursor })
  const refused = { no, cursor: cursor + 1, status: null, error_class: 'tls' }
  await factory.attempt(database.sql, { ...refused, outcome: 'r' })
  await factory.retry(database.sql, { no, cursor: cursor + 1 })
  const said = async (state: string) =>
    (await run('deliveries', id, '--state', state)).out.split('  ').slice(4, 6)
  expect(await said('failed')).toEqual(['2 attempts', '503'])
  expect(await said('pending')).toEqual(['1 attempt', 'tls'])
  await database.sql`delete from hook_subscriptions where id = ${id}`
})

test('the list says who paused a subscription, and why', async () => {
  const id = await subscribe()
  const pause = (reason: string | null) =>
    database.sql`update hook_subscriptions set active = false, paused_at = '2026-11-02T08:00Z', pause_reason = ${reason} where id = ${id}`
  await pause(null)
  expect((await listed(id))[1]).toBe('paused 2026-11-02T08:00:00+00:00, 10 final failures in a row')
  await pause('')
  expect((await listed(id))[1]).toBe('paused 2026-11-02T08:00:00+00:00, by the owner')
  await pause('Umzug des CRM')
  expect((await listed(id))[1]).toBe(
    'paused 2026-11-02T08:00:00+00:00, by the owner: Umzug des CRM',
  )
  await database.sql`delete from hook_subscriptions where id = ${id}`
})

test('a paused subscription is reactivated, and gets what it missed at once or later', async () => {
  const id = await subscribe()
  const pause = () =>
    database.sql`update hook_subscriptions set active = false, paused_at = now() where id = ${id}`
  await pause()
  const first = await nextCursor()
  for (let cursor = first; cursor < first + 3; cursor += 1)
    await factory.event(database.sql, { cursor })
  const isPaused = `This subscription is paused: run "hooks reactivate ${id}" first.`
  expect((await run('deliver-missed', id)).said).toBe(isPaused)
  expect((await run('test', id)).said).toBe(isPaused)
  const other = '00000000-0000-4000-8000-000000000000'
  for (const action of ['deliveries', 'deliver-missed', 'reactivate', 'test'])
    expect((await run(action, other)).said).toBe('No subscription has this id.')
  expect(await run('reactivate', id)).toEqual({
    code: 0,
    out: `reactivated ${id}`,
    said: `What was missed or has failed is kept: run "hooks deliver-missed ${id}" to send it.`,
  })
  expect((await run('reactivate', id)).said).toBe(
    `This subscription is active already: run "hooks deliver-missed ${id}" to send what it missed.`,
  )
  const another = (await run('test', id, '--type', 'signal.opened')).said
  expect(another).toBe('This subscription does not list the type; it lists lead.created.')
  expect((await listed(id)).slice(7, 9)).toEqual(['3 missed', `catch up after=${first - 1}`])
  expect((await run('deliver-missed', id)).out).toBe('3 missed deliveries are on the way')
  expect((await listed(id))[7]).toBe('0 missed, catching up with 3')
  await pause()
  await factory.event(database.sql, { cursor: first + 3 })
  expect((await listed(id))[7]).toBe('1 missed, catching up with 3')
  expect((await run('dismiss', id)).out.split('\n')).toEqual([
    '0 missed deliveries are dismissed',
    '1 that came since it was paused: kept until it is reactivated',
  ])
  expect((await run('reactivate', id, '--deliver-missed')).out.split('\n')).toEqual([
    `reactivated ${id}`,
    '4 missed deliveries are on the way',
  ])
})

test('a rotation prints the new secret alone, and a switch lets it lead', async () => {
  const id = await subscribe()
  const rotated = await run('rotate', id)
  const [row] =
    await database.sql`select secret, old_secret_leads from hook_subscriptions where id = ${id}`
  expect([openSecret(row?.secret, keys(), id), row?.old_secret_leads]).toEqual([rotated.out, true])
  expect((await run('switch', id)).code).toBe(0)
  const again = await run('switch', id)
  expect([again.code, again.out]).toEqual([1, ''])
})

test('while an old secret leads, another rotation needs --again', async () => {
  const id = await subscribe()
  const stored = async () =>
    (await database.sql`select secret, old_secret from hook_subscriptions where id = ${id}`)[0]
  expect((await listed(id))[9]).toBe('one secret')
  await run('rotate', id)
  const between = await stored()
  expect((await listed(id))[9]).toMatch(/^two secrets until \d{4}-\S+, the old one leads$/)
  const refused = await run('rotate', id)
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.said).toContain(`hooks switch ${id}`)
  expect(await stored()).toEqual(between)
  expect((await run('rotate', id, '--again')).code).toBe(0)
  expect((await stored())?.old_secret).toBe(between?.secret)
  await run('switch', id)
  expect((await listed(id))[9]).toMatch(/, the new one leads$/)
  expect((await run('rotate', id)).code).toBe(0)
  await database.sql`update hook_subscriptions set old_secret_until = now() where id = ${id}`
  expect((await listed(id))[9]).toBe('one secret')
  expect((await run('rotate', id)).code).toBe(0)
  await database.sql`delete from hook_subscriptions where id = ${id}`
})

test('lists name their columns on stderr', async () => {
  const id = await subscribe()
  await run('test', id)
  const columns = ({ out, said }: { out: string; said: string }) =>
    [said, out.split('\n')[0] ?? ''].map(line => line.split('  ').length)
  const [named, listed] = columns(await run('list'))
  expect(named).toBe(listed)
  const pending = await run('deliveries', id, '--state', 'pending')
  expect(pending.said).toStartWith('cursor  state  event type  ')
  expect(columns(pending)).toEqual([7, 7])
  await database.sql`delete from hook_subscriptions where id = ${id}`
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

const unknown = () => crypto.randomUUID()

test.each(
  [
    { code: 2, args: ['test', 'no-uuid'] },
    { code: 1, args: ['test', unknown()] },
    { code: 2, args: ['test', unknown(), '--type', 'lead.deleted'] },
    { code: 1, args: ['rotate', unknown()] },
    { code: 2, args: ['redeliver', '1'] },
    { code: 2, args: ['redeliver', unknown(), '0'] },
    { code: 1, args: ['redeliver', unknown(), '999999'] },
    { code: 2, args: ['redeliver', unknown(), '--force'] },
    { code: 1, args: ['deliver-missed', unknown()] },
    { code: 1, args: ['dismiss', unknown()] },
    { code: 1, args: ['reactivate', unknown(), '--deliver-missed'] },
    { code: 2, args: ['deliveries', unknown(), '--state', 'lost'] },
    { code: 2, args: ['unsubscribe'] },
  ].map(one => ({ line: one.args.join(' '), ...one })),
)('hooks $line ends with $code and a sentence', async ({ args, code }) => {
  // A mistake in the command line is one whether there is a database or not.
  const away = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' }
  const answered = await runWith(code === 2 ? away : {}, ...args)
  expect([answered.code, answered.out]).toEqual([code, ''])
  expect(answered.said).toMatch(/\.$/)
})
