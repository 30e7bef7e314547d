// Rows in, rows out: the queries on api_keys, and when they notify.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect, type Sql } from '../../src/db/connect.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { apiKey, moment } from '../support/database/factory.ts'
import { until } from '../support/until.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const inside = (work: (sql: Sql) => Promise<void>) => () => rolledBack(database.sql, work)

const digest = 'ab'.repeat(32)
const newKey = {
  prefix: 'wda_AAAAAAAA',
  digest,
  label: 'Zapier "test", {x}',
  scopes: ['read:leads', 'write:hooks'],
  expires_at: null,
}

const run = (sql: Sql) => openDatabase(sql, queries)
const liveIds = async (sql: Sql, at: string | null = null) =>
  (await rowsOf(sql, 'listLiveApiKeys', { at })).map(row => row.id).sort()

test(
  'a stored key is listed with its state, without a digest',
  inside(async sql => {
    const [stored] = await run(sql).rows('insertApiKey', newKey)
    const [row] = await rowsOf(sql, 'listApiKeys', {})
    expect(row).toMatchObject({
      id: stored?.id,
      prefix: newKey.prefix,
      label: newKey.label,
      scopes: newKey.scopes,
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
    })
    expect(JSON.stringify(row)).not.toContain(digest)
  }),
)

test(
  'a stored key is live under its digest as hex',
  inside(async sql => {
    const expires_at = '2999-01-01T00:00:00+00:00'
    await run(sql).rows('insertApiKey', { ...newKey, expires_at })
    const live = await rowsOf(sql, 'listLiveApiKeys', { at: null })
    expect(live).toMatchObject([{ digest, scopes: newKey.scopes, expires_at }])
  }),
)

test(
  'one digest is stored once',
  inside(async sql => {
    await run(sql).rows('insertApiKey', newKey)
    await expect(run(sql).rows('insertApiKey', newKey)).rejects.toMatchObject({ code: '23505' })
  }),
)

test(
  'keys are listed newest first, then by id',
  inside(async sql => {
    const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
    for (const digit of [1, 3, 2]) await apiKey(sql, { id: id(digit) })
    await apiKey(sql, { id: id(0), created_at: '2026-06-01T00:00:00Z' })
    const rows = await rowsOf(sql, 'listApiKeys', {})
    expect(rows.map(row => row.id)).toEqual([id(0), id(3), id(2), id(1)])
  }),
)

test(
  'a key lives up to the moment it expires and not in it, and never once revoked',
  inside(async sql => {
    const forever = await apiKey(sql)
    const expiring = await apiKey(sql, { expires_at: moment })
    await apiKey(sql, { revoked_at: '2026-01-01T00:00:00Z' })
    expect(await liveIds(sql, '2026-03-01T11:59:59.999Z')).toEqual([forever.id, expiring.id].sort())
    expect(await liveIds(sql, moment)).toEqual([forever.id])
    expect(await liveIds(sql)).toEqual([forever.id])
  }),
)

test(
  'a key is revoked by id, by prefix or by digest, and only that one',
  inside(async sql => {
    const nobody = { id: null, prefix: null, digest: null }
    const byId = await apiKey(sql, { prefix: 'wda_BBBBBBBB' })
    const byPrefix = await apiKey(sql, { prefix: 'wda_CCCCCCCC', label: 'C' })
    const byDigest = await apiKey(sql, { prefix: 'wda_DDDDDDDD', digest: `\\x${digest}` })
    const other = await apiKey(sql, { prefix: 'wda_EEEEEEEE' })
    const revoke = async (named: object) =>
      (await run(sql).rows('updateApiKeyRevoked', { ...nobody, ...named })).map(row => row.id)
    expect(await revoke({})).toEqual([])
    expect(await revoke({ id: byId.id })).toEqual([byId.id])
    expect(await revoke({ prefix: 'wda_CCCCCCCC' })).toEqual([byPrefix.id])
    expect(await revoke({ digest })).toEqual([byDigest.id])
    expect(await liveIds(sql)).toEqual([other.id])
  }),
)

test(
  'a revoked key is not revoked again and keeps its moment',
  inside(async sql => {
    const { id } = await apiKey(sql, { revoked_at: moment })
    const named = { id, prefix: null, digest: null }
    expect(await run(sql).rows('updateApiKeyRevoked', named)).toHaveLength(0)
    expect(await rowsOf(sql, 'listApiKeys', {})).toMatchObject([{ revoked_at: moment }])
  }),
)

test(
  'the last use of many keys is noted at once and never moves back',
  inside(async sql => {
    const early = '2026-03-01T10:00:00+00:00'
    const keys = [
      await apiKey(sql),
      await apiKey(sql, { last_used_at: early }),
      await apiKey(sql, { last_used_at: moment }),
    ]
    const untouched = await apiKey(sql)
    const noon = '2026-03-01T11:00:00+00:00'
    await run(sql).rows('updateApiKeysLastUsed', {
      ids: [...keys.map(({ id }) => id), randomUUID()],
      used_at: [noon, noon, noon, noon],
    })
    const rows = await rowsOf(sql, 'listApiKeys', {})
    const used = Object.fromEntries(rows.map(row => [row.id, row.last_used_at]))
    expect(keys.map(({ id }) => used[id])).toEqual([noon, noon, moment])
    expect(used[untouched.id]).toBeNull()
  }),
)

test('processes hear of a new, a changed and a deleted key, but not of its use', async () => {
  let heard = 0
  const listener = connect({
    url: database.url,
    connectionsMax: 1,
    applicationName: 'test',
    statementTimeoutMs: 20_000,
    onNotify: () => {
      heard += 1
    },
  })
  const { sql } = database
  const marker = async (expected: number) => {
    await sql`select pg_notify('api_keys_changed', 'marker')`
    await until(() => heard >= expected + 1)
    const counted = heard - 1
    heard = 0
    return counted
  }
  try {
    await listener`listen api_keys_changed`
    const { id } = await apiKey(sql)
    expect(await marker(1)).toBe(1)
    await sql`update api_keys set revoked_at = now() where id = ${id}`
    expect(await marker(1)).toBe(1)
    await run(sql).rows('updateApiKeysLastUsed', { ids: [id], used_at: [moment] })
    expect(await marker(0)).toBe(0)
    await sql`delete from api_keys`
    expect(await marker(1)).toBe(1)
  } finally {
    await listener.end({ timeout: 1 })
  }
})
