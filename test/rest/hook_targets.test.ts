// Where a name leads decides when a subscription is made; a name server that does not answer decides nothing.
import { beforeEach, expect, test } from 'bun:test'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { ApiError } from '../../src/errors.ts'
import { isForbidden } from '../../src/model/networks.ts'
import { createHook } from '../../src/operations/hooks.ts'
import { useService } from '../support/service.ts'
import { subscribe } from '../support/subscribing.ts'

const database = useService()
const hosts: string[] = []

beforeEach(async () => {
  hosts.length = 0
  await database.sql`delete from hook_subscriptions`
})

function create(target_url: string, isBlocked: (host: string) => Promise<boolean>) {
  const input = { target_url, event_types: ['lead.created' as const], label: null }
  return createHook(
    openDatabase(database.sql, queries),
    { ...input, source: 'api' },
    {
      subscriptionsMax: 100,
      allowedNetworks: [],
      secretsKeys: [Buffer.alloc(32)],
      isBlocked(host) {
        hosts.push(host)
        return isBlocked(host)
      },
    },
  )
}

const stored = async () => (await database.sql`select 1 from hook_subscriptions`).length

test('a name that leads to a forbidden address is refused', async () => {
  const refused = create('https://inside.example.com/a', async () => true)
  await expect(refused).rejects.toThrow('target_url must not lead to a private or reserved address')
  await expect(refused).rejects.toBeInstanceOf(ApiError)
  expect(hosts).toEqual(['inside.example.com'])
  expect(await stored()).toBe(0)
})

test('a name that leads nowhere yet is accepted, and so is one whose look-up fails', async () => {
  await create('https://soon.example.com/', async () => false)
  await create('https://broken.example.com/', async () => Promise.reject(new Error('SERVFAIL')))
  expect(await stored()).toBe(2)
})

test('a name server that never answers is waited for two seconds and not for ever', async () => {
  const startedAt = performance.now()
  await create('https://silent.example.com/', () => new Promise(() => {}))
  expect(performance.now() - startedAt).toBeGreaterThan(1_500)
  expect(await stored()).toBe(1)
})

test('what the text alone forbids is not looked up', async () => {
  for (const url of ['https://127.0.0.1/', 'http://a.example.com/', 'https://localhost/'])
    await expect(create(url, async () => false)).rejects.toBeInstanceOf(ApiError)
  expect(hosts).toEqual([])
})

test('the name looked up is the one in canonical form', async () => {
  await create('https://BÜCHER.example.com.:443/', async () => false)
  expect(hosts).toEqual(['xn--bcher-kva.example.com'])
})

// A name that the machine's own files resolve, without a name server: its own, where it has a private address.
const own = await lookup(hostname(), { all: true }).catch(() => [])
const isInside = own.some(({ address }) => isForbidden(address, []))

test.skipIf(!isInside)('a running service looks names up', async () => {
  const reply = await subscribe(database, { target_url: `https://${hostname()}/` })
  expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_subscription'])
  expect(await stored()).toBe(0)
})
