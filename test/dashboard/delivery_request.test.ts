// The request on the page of a delivery: what is sent, signed anew, and a command that sends it by hand.
import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { dashboardSettings, signIn } from '../support/browser/dashboard.ts'
import { type Hook, useHooks } from '../support/delivery/delivery.ts'
import { useService } from '../support/http/service.ts'

const api = useService({ ...dashboardSettings, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' })
const hooks = useHooks(api)
hooks.useWorker()

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const plain = (text: string) =>
  text.replace(/&([#\w]+);/g, (whole, name) => entities[name] ?? whole)

/** What the page offers to copy under this name. */
const offered = (text: string, label: string): string =>
  plain(
    text
      .split('<div class="copyable">')
      .find(part => part.includes(`aria-label="${label}"`))
      ?.match(/<code>(.*?)<\/code>/s)?.[1] ?? '',
  )

const headersLabel = 'Kopfzeilen (Header)'
const curlLabel = 'Befehl zum Nachstellen (curl)'

/** What a shell gives the command. */
function argumentsIn(command: string): string[] {
  const { stdout } = Bun.spawnSync(['sh', '-c', `curl() { printf '%s\\0' "$@"; }\n${command}`])
  return stdout.toString().split('\0').slice(0, -1)
}

const after = (args: string[], name: string) =>
  args.flatMap((one, place) => (args[place - 1] === name ? [one] : []))

async function pageOf(hook: Hook, language = 'de') {
  const [row] = await api.sql`select max(cursor) as cursor from event_cursors`
  const session = await signIn(api, language)
  const path = `/dashboard/webhooks/${hook.id}/deliveries/${row?.cursor}`
  return (await session.get(path)).text
}

const odd = `Frau O'Neill $(id) \`id\` "${'\\'}" <b>&amp; Ü€ 😀 ' ''`

async function deliver(path: string): Promise<Hook> {
  const hook = await hooks.subscribe(hooks.receiver.url(path), { event_types: ['lead.created'] })
  await api.sql`insert into leads (name, email) values (${odd}, 'oneill@example.org')`
  await hooks.ended(hook, 1)
  return hook
}

test('the command sends the body that was sent, byte for byte, with a signature that is valid now', async () => {
  const hook = await deliver('/ok/curl')
  const [sent] = await hooks.receiver.requests('/ok/curl')
  const args = argumentsIn(offered(await pageOf(hook), curlLabel))
  const [body = ''] = after(args, '--data-raw')
  expect(body).toContain("Frau O'Neill $(id)")
  expect(body).toBe(String(sent?.body))
  expect(args).toContain(hooks.receiver.url('/ok/curl'))
  const headers = Object.fromEntries(
    after(args, '-H').map(line => [
      line.split(': ')[0]?.toLowerCase(),
      line.replace(/^[^:]+: /, ''),
    ]),
  )
  const at = headers['x-service-timestamp'] ?? ''
  expect(Math.abs(Date.now() / 1_000 - Number(at))).toBeLessThan(60)
  const expected = createHmac('sha256', hook.secret).update(`${at}.${body}`).digest('hex')
  expect(headers['x-service-signature']).toBe(`v1=${expected}`)
  expect(headers['webhook-id']).toBe(JSON.parse(body).id)
})

test('the headers are those that went out, with the names that the receiver saw', async () => {
  const hook = await deliver('/ok/headers')
  const [sent] = await hooks.receiver.requests('/ok/headers')
  const text = await pageOf(hook)
  const [first, ...lines] = offered(text, headersLabel)
    .split('\n')
    .map(line => line.trimEnd())
  expect(first).toBe('POST /ok/headers HTTP/1.1')
  const shown = Object.fromEntries(lines.map(line => [line.split(': ')[0]?.toLowerCase(), line]))
  expect(Object.keys(shown).sort()).toEqual(Object.keys(sent?.headers ?? {}).sort())
  for (const name of ['host', 'user-agent', 'content-length', 'content-type', 'webhook-id'])
    expect(shown[name]?.toLowerCase()).toBe(`${name}: ${sent?.headers[name]}`.toLowerCase())
  expect(text).not.toContain(hook.secret)
  expect(await pageOf(hook, 'en')).toContain('This is how the delivery would be sent now')
})

test('nothing is offered when the event is gone, or no key opens the secret', async () => {
  const hook = await deliver('/ok/gone')
  await api.sql`update hook_subscriptions set secret = 'v1.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA' where id = ${hook.id}`
  expect(await pageOf(hook)).not.toContain('Für Entwickler: die Anfrage')
  const other = await deliver('/ok/erased')
  expect(await pageOf(other)).toContain('Für Entwickler: die Anfrage')
  await api.sql`delete from events`
  const text = await pageOf(other)
  expect(text).toContain('Das Ereignis ist nicht mehr da')
  expect(text).not.toContain('Für Entwickler: die Anfrage')
})

test('an answer in JSON folds like what was sent', async () => {
  const hook = await deliver('/ok/json')
  await api.sql`update hook_attempts set excerpt = '{"error": {"field": "tarif"}}'
    from hook_positions where hook_positions.no = hook_attempts.no and subscription_id = ${hook.id}`
  expect(await pageOf(hook)).toMatch(
    /<summary><span class="name">error<\/span>.*<span class="text">tarif</s,
  )
})

test('an answer that is no success keeps its headers', async () => {
  await hooks.receiver.answer('/refused', 410)
  const page = await pageOf(await deliver('/refused'))
  const kept = offered(page, 'Kopfzeilen der Antwort')
  expect(kept).toContain('content-length: 10')
  expect(await pageOf(await deliver('/ok/plain'))).not.toContain('Kopfzeilen der Antwort')
})
