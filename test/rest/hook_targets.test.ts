// Where a name leads decides nothing when a subscription is made: the answer would tell a holder of write:hooks which names
// the owner's network has. The attempts decide (test/delivery/outcomes.test.ts).
import { beforeEach, expect, test } from 'bun:test'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { isForbidden } from '../../src/model/networks.ts'
import { subscribe } from '../support/delivery/subscribing.ts'
import { useService } from '../support/http/service.ts'

const api = useService()

beforeEach(async () => {
  await api.sql`delete from hook_subscriptions`
})

const storedUrls = async () =>
  (await api.sql`select target_url from hook_subscriptions`).map(row => row.target_url)

const varying = { id: '', created_at: '', signing_secret: '', target_url: '' }

// The machine's own name: its files resolve it, without a name server, to a private address where it has one.
const own = await lookup(hostname(), { all: true }).catch(() => [])
const isInside = own.some(({ address }) => isForbidden(address, []))

test.skipIf(!isInside)(
  'a name of the inside and a name of nothing get the same answer',
  async () => {
    const [inside, nowhere] = await Promise.all(
      [hostname(), 'no-such-name.example.com'].map(name =>
        subscribe(api, { target_url: `https://${name}/` }),
      ),
    )
    expect(inside?.status).toBe(201)
    expect(nowhere?.status).toBe(201)
    expect({ ...inside?.body.data, ...varying }).toEqual({ ...nowhere?.body.data, ...varying })
  },
)

test('what the text forbids is refused all the same', async () => {
  for (const target_url of ['https://127.0.0.1/', 'http://a.example.com/', 'https://localhost/']) {
    const { status, body } = await subscribe(api, { target_url })
    expect([status, body.error.code]).toEqual([400, 'invalid_subscription'])
  }
  expect(await storedUrls()).toEqual([])
})

test('a name is stored in its canonical form', async () => {
  await subscribe(api, { target_url: 'https://BÜCHER.example.com.:443/' })
  expect(await storedUrls()).toEqual(['https://xn--bcher-kva.example.com/'])
})

test('what no URI holds is stored and answered in percent-encoding', async () => {
  const { body } = await subscribe(api, { target_url: 'https://a.example.com/100%/[x]?q={id}|^' })
  const stored = 'https://a.example.com/100%25/%5Bx%5D?q=%7Bid%7D%7C%5E'
  expect(body.data.target_url).toBe(stored)
  expect(await storedUrls()).toEqual([stored])
})
