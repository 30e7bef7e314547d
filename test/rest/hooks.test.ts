// Spec part 4: GET, POST and DELETE /hooks, to the letter; and the secret that only the 201 shows.
import { beforeEach, describe, expect, test } from 'bun:test'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { isForbidden } from '../../src/model/networks.ts'
import { openSecret } from '../../src/model/signing_secret.ts'
import * as factory from '../support/database/factory.ts'
import { allowedTargets, subscribe, target, useService } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'

const api = useService(allowedTargets)
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

beforeEach(async () => {
  await api.sql`delete from hook_subscriptions`
})

const listed = async () => (await api.send('/hooks')).body

describe('POST /hooks', () => {
  test('answers 201 with the subscription and its signing secret', async () => {
    const reply = await subscribe(api, { label: 'CRM', source: 'zapier' })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      api_version: 'v1',
      data: {
        id: expect.stringMatching(uuid),
        target_url: target,
        event_types: ['lead.created'],
        label: 'CRM',
        source: 'zapier',
        active: true,
        created_at: expect.any(String),
        ...{ paused_at: null, consecutive_failures: 0, cursor: 0 },
        signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    })
    expect(Math.abs(Date.parse(reply.body.data.created_at) - Date.now())).toBeLessThan(60_000)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
  })

  test('takes label null and source api where neither is given, and null as not given', async () => {
    for (const members of [{}, { label: null, source: null }]) {
      const { data } = (await subscribe(api, members)).body
      expect([data.label, data.source]).toEqual([null, 'api'])
    }
  })

  test('counts repeated event types once, in the order given', async () => {
    const event_types = ['signal.opened', 'lead.created', 'signal.opened', 'lead.archived']
    const { data } = (await subscribe(api, { event_types })).body
    expect(data.event_types).toEqual(['signal.opened', 'lead.created', 'lead.archived'])
    expect((await listed()).data[0].event_types).toEqual(data.event_types)
  })

  test('stores and answers the canonical form of the URL', async () => {
    for (const [target_url, stored] of [
      ['HTTPS://192.0.2.7:443/a/../b?c#d', 'https://192.0.2.7/b?c'],
      ['https://BÜCHER.example.com.:443/', 'https://xn--bcher-kva.example.com/'],
      [
        'https://a.example.com/100%/[x]?q={id}|^',
        'https://a.example.com/100%25/%5Bx%5D?q=%7Bid%7D%7C%5E',
      ],
    ]) {
      expect((await subscribe(api, { target_url })).body.data.target_url).toBe(stored)
      expect((await listed()).data[0].target_url).toBe(stored)
    }
  })

  test('keeps a label as it is', async () => {
    const label = `  Müller & "Söhne" \\ 🦊\t${'ü'.repeat(160)}`
    expect((await subscribe(api, { label })).body.data.label).toBe(label)
    expect((await listed()).data[0].label).toBe(label)
  })

  test('makes two subscriptions of two equal requests, each with its own secret', async () => {
    const [one, other] = await Promise.all([subscribe(api), subscribe(api)])
    expect(one.body.data.id).not.toBe(other.body.data.id)
    expect(one.body.data.signing_secret).not.toBe(other.body.data.signing_secret)
    expect((await listed()).meta).toEqual({ count: 2 })
  })
})

describe('the signing secret', () => {
  test('is encrypted in the table, bound to its subscription, and opens with SECRETS_KEY', async () => {
    const { id, signing_secret } = (await subscribe(api)).body.data
    const [row] = await api.sql`select to_jsonb(hook_subscriptions) as row from hook_subscriptions`
    const stored = JSON.parse(row?.row)
    expect(row?.row).not.toContain(signing_secret)
    expect(row?.row).not.toContain(signing_secret.slice('whsec_'.length))
    const keys = [Buffer.from(secretsKey, 'base64')]
    expect(openSecret(stored.secret, keys, id)).toBe(signing_secret)
    expect(() => openSecret(stored.secret, keys, crypto.randomUUID())).toThrow()
  })

  test('is in no later answer', async () => {
    const { id, signing_secret } = (await subscribe(api)).body.data
    const later = [
      await api.send('/hooks'),
      await api.send('/hooks/sample'),
      await api.send('/openapi.json'),
      await api.send(`/hooks/${id}`, { method: 'DELETE' }),
    ]
    for (const { text } of later) expect(text).not.toContain(signing_secret)
    expect(later[0]?.text).not.toContain('secret')
  })
})

describe('GET /hooks', () => {
  test('of no subscription is an empty list', async () => {
    expect(await listed()).toEqual({ api_version: 'v1', data: [], meta: { count: 0 } })
  })

  test('lists all, newest first, as they were answered but for the secret', async () => {
    const created = []
    for (const label of ['one', 'two', 'three']) {
      const { signing_secret, ...rest } = (await subscribe(api, { label })).body.data
      expect(signing_secret).toStartWith('whsec_')
      created.unshift(rest)
    }
    expect(await listed()).toEqual({ api_version: 'v1', data: created, meta: { count: 3 } })
  })

  test('shows since when a subscription is paused, and from where to catch up', async () => {
    const { id } = (await subscribe(api)).body.data
    await api.sql`
      update hook_subscriptions
      set active = false, paused_at = '2026-03-01T09:00Z', consecutive_failures = 10, cursor = 9`
    await factory.outstanding(api.sql, { subscription_id: id, cursor: 7, due_at: null })
    expect((await listed()).data[0]).toMatchObject({
      ...{ active: false, consecutive_failures: 10, cursor: 6 },
      paused_at: expect.stringMatching(/^2026-03-01T09:00:00/),
    })
    await api.sql`update feed set horizon = 8`
    expect((await listed()).data[0].cursor).toBe(8)
    await api.sql`update feed set horizon = 0`
  })
})

test('GET /hooks/sample fills every field there is to fill, leaves no trace, and type picks one', async () => {
  const { data } = (await api.send('/hooks/sample')).body
  for (const sample of data) {
    expect(sample).not.toHaveProperty('cursor')
    const empty = Object.keys(sample.data).filter(name => sample.data[name] === null)
    // An analysis has no quelle; a household's check would have no channel.
    const expected = sample.event_type === 'din.check_completed' ? ['quelle'] : []
    expect([sample.event_type, empty]).toEqual([sample.event_type, expected])
  }
  expect(await api.sql`select from events`).toHaveLength(0)
  const { body } = await api.send('/hooks/sample?type=signal.opened')
  const one = data.filter((sample: typeof body) => sample.event_type === 'signal.opened')
  expect(body).toMatchObject({ data: one, meta: { count: 1 } })
})

describe('DELETE /hooks/{hookId}', () => {
  const end = (id: string) => api.send(`/hooks/${id}`, { method: 'DELETE' })

  test('answers {deleted: true}, and the subscription is gone', async () => {
    const [one, other] = [(await subscribe(api)).body.data, (await subscribe(api)).body.data]
    const reply = await end(one.id)
    expect([reply.status, reply.body]).toEqual([
      200,
      { api_version: 'v1', data: { deleted: true } },
    ])
    expect((await listed()).data.map(({ id }: { id: string }) => id)).toEqual([other.id])
    const again = await end(one.id)
    expect([again.status, again.body.error.code]).toEqual([404, 'not_found'])
  })

  test('takes an id of either case', async () => {
    const { id } = (await subscribe(api)).body.data
    expect((await end(id.toUpperCase())).status).toBe(200)
  })

  test('of one subscription, twenty times at once, succeeds once', async () => {
    const { id } = (await subscribe(api)).body.data
    const replies = await Promise.all(Array.from({ length: 20 }, () => end(id)))
    const statuses = replies.map(({ status }) => status).toSorted()
    expect(statuses).toEqual([200, ...Array(19).fill(404)])
  })
})

// Where a name leads decides nothing when a subscription is made: the answer would tell a holder of write:hooks which names the
// owner's network has. The machine's own name: its files resolve it, without a name server, to a private address where it has one.
const own = await lookup(hostname(), { all: true }).catch(() => [])

test.skipIf(!own.some(({ address }) => isForbidden(address, [])))(
  'a name of the inside and a name of nothing get the same answer',
  async () => {
    const varying = { id: '', created_at: '', signing_secret: '', target_url: '' }
    const [inside, nowhere] = await Promise.all(
      [hostname(), 'no-such-name.example.com'].map(name =>
        subscribe(api, { target_url: `https://${name}/` }),
      ),
    )
    expect([inside?.status, nowhere?.status]).toEqual([201, 201])
    expect({ ...inside?.body.data, ...varying }).toEqual({ ...nowhere?.body.data, ...varying })
  },
)
