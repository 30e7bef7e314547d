// The whole way, as a subscriber goes it: subscribe over HTTP, receive, verify, unsubscribe; and the owner's commands.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { useHooks } from '../support/delivery/delivery.ts'
import { positionRow } from '../support/delivery/positions.ts'
import { useService } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const allowed = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }
const api = useService(allowed)
const hooks = useHooks(api)
hooks.useWorker()
const { receiver } = hooks

const subscribe = (members: Record<string, unknown>) =>
  api.send('/hooks', { method: 'POST', body: JSON.stringify(members) })

const at = async (path: string) => await receiver.requests(path)

test('subscribed over HTTP, a change of a row arrives signed; unsubscribed, nothing does', async () => {
  const target_url = receiver.url('/ok/whole')
  const { status, body } = await subscribe({ target_url, event_types: ['lead.created'] })
  expect(status).toBe(201)
  const [lead] =
    await api.sql`insert into leads (name, email) values ('Erika Beispiel', 'erika@example.org') returning id`
  const [request] = await until(async () => {
    const requests = await at('/ok/whole')
    return requests.length > 0 ? requests : undefined
  })
  const event = new Webhook(body.data.signing_secret).verify(
    request?.body ?? '',
    request?.headers ?? {},
  )
  expect(event).toMatchObject({
    event_type: 'lead.created',
    object_id: lead?.id,
    data: { lead_id: lead?.id, name: 'Erika Beispiel', email: 'erika@example.org' },
  })

  const deleted = await api.send(`/hooks/${body.data.id}`, { method: 'DELETE' })
  expect(deleted.body.data).toEqual({ deleted: true })
  const other = await subscribe({
    target_url: receiver.url('/ok/next'),
    event_types: ['lead.created'],
  })
  expect(other.status).toBe(201)
  // The process that learns of the one learns of the end of the other.
  await until(async () => (await positionRow(api.sql, other.body.data)).worker !== null)
  await api.sql`insert into leads (name) values ('Max Beispiel')`
  // What comes to the other one would have come to the first as well.
  await until(async () => (await at('/ok/next')).length === 1)
  expect(await at('/ok/whole')).toHaveLength(1)
})

async function command(...args: string[]) {
  const child = Bun.spawn(['bun', join(import.meta.dir, '../../src/main.ts'), ...args], {
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: api.url, SECRETS_KEY: secretsKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, stdout, stderr }
}

test('the owner sees a paused subscription on the command line, and has what it missed delivered', async () => {
  const type = 'lead.archived'
  const hook = await hooks.subscribe(receiver.url('/cli'), { event_types: [type], label: 'CRM' })
  await receiver.answer('/cli', 404)
  await hooks.emit(10, type)
  await until(async () => (await hooks.state(hook)).active === false)
  await hooks.emit(2, type)
  await until(async () => (await hooks.deliveries(hook)).length === 12)
  const listed = (await command('hooks', 'list')).stdout
    .split('\n')
    .find(line => line.includes(hook.id))
  const { catch_up_cursor } = await hooks.state(hook)
  expect(listed).toMatch(/ {2}paused \d{4}-/)
  expect(listed).toContain(`catch up after=${catch_up_cursor}`)
  expect(listed).toEndWith('CRM')
  // Only the host: a path may hold a token.
  expect(listed).not.toContain('/cli')

  await receiver.answer('/cli', 200)
  await receiver.forget()
  const { code, stdout } = await command('hooks', 'reactivate', hook.id, '--deliver-missed')
  expect(code).toBe(0)
  const [first, second = ''] = stdout.split('\n')
  expect(first).toBe(`reactivated ${hook.id}`)
  // Some may have arrived before it counts.
  const [, left] = /^(\d+) missed deliver(?:y is|ies are) on the way$/.exec(second) ?? []
  expect(Number(left)).toBeWithin(0, 13)
  const rows = await hooks.ended(hook, 12)
  expect(rows.every(({ state }) => state === 'delivered')).toBe(true)
  expect(await at('/cli')).toHaveLength(12)
})

test('the commands explain a mistake in a sentence', async () => {
  const mistakes = [
    { expected: 2, args: ['hooks'] },
    { expected: 2, args: ['hooks', 'reactivate', 'x'] },
    { expected: 1, args: ['hooks', 'reactivate', crypto.randomUUID()] },
  ]
  for (const { expected, args } of mistakes) {
    const { code, stderr } = await command(...args)
    expect(code).toBe(expected)
    expect(stderr).toMatch(/^[^\n]+\.\n$/)
  }
})
