// Claiming deliveries: what is due and whose turn it is.
import { describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { type Asked, claimedOf, claimParameters } from '../support/claiming.ts'
import { oneConnection, useDatabase } from '../support/database.ts'
import * as factory from '../support/factory.ts'

const test_ = useDatabase()
const database = () => openDatabase(test_.sql, queries)
const now = () => new Date().toISOString()
const ago = () => new Date(Date.now() - 1_000).toISOString()
const ahead = () => new Date(Date.now() + 60_000).toISOString()

const claimRows = (asked?: Asked) => database().rows('claimDeliveries', claimParameters(asked))
const claim = async (asked?: Asked) => claimedOf(await claimRows(asked))

let lastCursor = 0

const idsOf = (rows: readonly { id: unknown }[]) => rows.map(({ id }) => Number(id))

describe.each([
  ['by the clock', {}],
  ['in their turn', { due_at: null }],
] as [string, factory.Columns][])('%s:', (_, usual) => {
  /** Deliveries of one new event each. */
  async function deliveries(subscription_id: string, count: number, columns: factory.Columns = {}) {
    const rows = []
    for (let index = 0; index < count; index += 1) {
      lastCursor += 1
      await factory.event(test_.sql, { cursor: lastCursor, data: { number: lastCursor } })
      const row = { subscription_id, cursor: lastCursor, ...usual, ...columns }
      rows.push(await factory.delivery(test_.sql, row))
    }
    return rows
  }

  /** A subscription with deliveries that are due, and nothing left over from other tests. */
  async function hookWith(count: number, columns: factory.Columns = {}) {
    await test_.sql`delete from hook_queue`
    const { id } = await factory.hook(test_.sql, columns)
    return { id, rows: await deliveries(id, count) }
  }

  test('all that is due comes with the exact body, and nobody else gets it', async () => {
    const { id, rows } = await hookWith(3)
    const [older] = await deliveries(id, 1, { due_at: '2020-01-01T00:00:00Z' })
    const taken = await claim()
    expect(idsOf(taken).sort()).toEqual(idsOf([...rows, older as never]).sort())
    const [{ body } = {}] = taken.filter(row => row.id === Number(rows[0]?.id))
    const [feed] =
      await test_.sql`select id::text from events where cursor = ${String(rows[0]?.cursor)}`
    expect(JSON.parse(body ?? '')).toMatchObject({
      id: feed?.id,
      event_type: 'lead.created',
      data: { number: Number(rows[0]?.cursor) },
    })
    expect(Object.keys(JSON.parse(body ?? ''))).not.toContain('cursor')
    expect(await claim()).toEqual([])
  })

  test('a delivery before its time is left alone', async () => {
    const { id } = await hookWith(0)
    await deliveries(id, 1, { due_at: ahead() })
    expect(await claim()).toEqual([])
  })

  test('the oldest come first when there is not room for all', async () => {
    const { rows } = await hookWith(5)
    expect(idsOf(await claim({ total_room: 2 }))).toEqual(idsOf(rows.slice(0, 2)))
  })

  test('a lapsed claim can be taken again, under another', async () => {
    const { id } = await hookWith(0)
    await deliveries(id, 1, { claim: randomUUID(), due_at: ago() })
    const again = randomUUID()
    expect(await claim({ claim: again })).toHaveLength(1)
    const [row] = await test_.sql`select claim from hook_queue`
    expect(row?.claim).toBe(again)
  })

  test('no subscription gets more than it has room for', async () => {
    const { id } = await hookWith(10)
    const other = await factory.hook(test_.sql)
    await deliveries(other.id, 10)
    const taken = await claim({ other_room: 2, rooms: { [id]: 3 } })
    const counts = Map.groupBy(taken, row => row.subscription_id)
    expect([counts.get(id)?.length, counts.get(other.id)?.length]).toEqual([3, 2])
    for (const room of [0, -5])
      expect(await claim({ other_room: 0, rooms: { [id]: room } })).toEqual([])
  })

  test('one long queue keeps nobody waiting', async () => {
    const { id: busy } = await hookWith(50)
    const { id: quiet } = await factory.hook(test_.sql)
    await deliveries(quiet, 1)
    const taken = await claim({ total_room: 20, other_room: 10 })
    const counts = Map.groupBy(taken, row => row.subscription_id)
    expect(counts.get(quiet)).toHaveLength(1)
    expect(counts.get(busy)).toHaveLength(10)
  })

  test('subscriptions take turns when there is room for few', async () => {
    await hookWith(4)
    const { id: other } = await factory.hook(test_.sql)
    await deliveries(other, 4)
    const seen = new Set<string>()
    // Random turns: 60 draws miss one of two with a chance of 2 in 2^60.
    for (let draw = 0; draw < 60 && seen.size < 2; draw += 1) {
      for (const { subscription_id } of await claim({ total_room: 1 })) seen.add(subscription_id)
      await test_.sql`update hook_queue set claim = null, due_at = ${'due_at' in usual ? null : now()}`
      await test_.sql`update hook_positions set taken_id = 0`
      await test_.sql`delete from hook_leases`
    }
    expect(seen.size).toBe(2)
  })

  test.each(['paused', 'deleted'])(
    'what waits for a %s subscription is skipped, not sent',
    async end => {
      const { id, rows } = await hookWith(3)
      const [sent] = rows
      await test_.sql`update hook_queue set claim = ${randomUUID()}, due_at = ${ahead()} where id = ${String(sent?.id)}`
      if (end === 'paused')
        await test_.sql`update hook_subscriptions set active = false, paused_at = ${now()} where id = ${id}`
      else await test_.sql`delete from hook_subscriptions where id = ${id}`
      expect(await claim()).toEqual([])
      const states =
        await test_.sql`select state from hook_deliveries where subscription_id = ${id} order by id`
      // The one under way ends as its answer says.
      expect(states.map(row => row.state)).toEqual(['pending', 'skipped', 'skipped'])
    },
  )

  test('a delivery whose event is gone comes without a body', async () => {
    const { rows } = await hookWith(1)
    await test_.sql`delete from events where cursor = ${String(rows[0]?.cursor)}`
    expect(await claim()).toMatchObject([{ id: Number(rows[0]?.id), body: null, event_id: null }])
  })

  test('each subscription and each event is told of once, and every delivery has both', async () => {
    const { id } = await hookWith(2, { target_url: 'https://one.example/hook' })
    const other = await factory.hook(test_.sql, { target_url: 'https://other.example/hook' })
    for (const { cursor } of await test_.sql`select cursor from hook_queue order by cursor`)
      await factory.delivery(test_.sql, { subscription_id: other.id, cursor })
    const rows = await claimRows()
    expect(rows.filter(({ secret }) => secret !== null)).toHaveLength(2)
    expect(rows.filter(({ body }) => body !== null)).toHaveLength(2)
    const whole = claimedOf(rows)
    expect(whole).toHaveLength(4)
    const seen = whole.map(({ target_url, body }) => `${target_url} ${JSON.parse(body ?? '').id}`)
    expect(new Set(seen).size).toBe(4)
    expect(whole.filter(one => one.subscription_id === id).map(one => one.target_url)).toEqual(
      Array(2).fill('https://one.example/hook'),
    )
  })

  test('two at once share what there is', async () => {
    await hookWith(40)
    const other = oneConnection(test_.url)
    const half = () => claimParameters({ total_room: 20 })
    try {
      const both = await Promise.all([
        database().rows('claimDeliveries', half()),
        openDatabase(other, queries).rows('claimDeliveries', half()),
      ])
      // One may have stood back while the other held the subscription.
      const ids = idsOf([...both.flatMap(claimedOf), ...(await claim())])
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids.length).toBe(40)
    } finally {
      await other.end()
    }
  })

  test('what was taken under a claim is given back as a whole', async () => {
    await hookWith(3)
    const lost = randomUUID()
    await claim({ claim: lost })
    await database().rows('updateDeliveriesReleased', { claim: lost })
    expect(await claim()).toHaveLength(3)
  })
})
