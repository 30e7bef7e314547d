// Which keys are live, and which one a revocation meets.
import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import { apiKey, moment } from '../support/database/factory.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()
const digest = 'ab'.repeat(32)

test('a key lives up to the moment it expires and not in it, and never once revoked', () =>
  rolledBack(database.sql, async sql => {
    const forever = await apiKey(sql, { digest: `\\x${digest}` })
    const expiring = await apiKey(sql, { expires_at: moment })
    await apiKey(sql, { revoked_at: '2026-01-01T00:00:00Z' })
    const live = (at: string | null) => rowsOf(sql, 'listLiveApiKeys', { at })
    const before = await live('2026-03-01T11:59:59.999Z')
    expect(before.map(row => row.id).sort()).toEqual([forever.id, expiring.id].sort())
    for (const at of [moment, null])
      expect(await live(at)).toMatchObject([{ id: forever.id, digest }])
    const listed = await rowsOf(sql, 'listApiKeys', {})
    expect(listed).toHaveLength(3)
    expect(JSON.stringify(listed)).not.toContain(digest)
  }))

test('a key is revoked once, by id, by prefix or by digest, and only that one', () =>
  rolledBack(database.sql, async sql => {
    const byId = await apiKey(sql, { prefix: 'wda_BBBBBBBB' })
    const byPrefix = await apiKey(sql, { prefix: 'wda_CCCCCCCC', label: 'C' })
    const byDigest = await apiKey(sql, { prefix: 'wda_DDDDDDDD', digest: `\\x${digest}` })
    await apiKey(sql, { prefix: 'wda_EEEEEEEE' })
    const named: [object, string[]][] = [
      [{}, []],
      [{ id: byId.id }, [byId.id]],
      [{ id: byId.id }, []],
      [{ prefix: 'wda_CCCCCCCC' }, [byPrefix.id]],
      [{ digest }, [byDigest.id]],
    ]
    for (const [name, revoked] of named) {
      const args = { id: null, prefix: null, digest: null, ...name }
      const rows = await openDatabase(sql, queries).rows('updateApiKeyRevoked', args)
      expect(rows.map(row => row.id)).toEqual(revoked)
    }
  }))

const useKeys = (ids: string[], used_at: string[]) =>
  openDatabase(database.sql, queries).rows('updateApiKeysLastUsed', { ids, used_at })

test('the last use of many keys is noted at once and never moves back', async () => {
  const noon = '2026-03-01T11:00:00+00:00'
  const before = [null, '2026-03-01T10:00:00+00:00', moment]
  const keys = []
  for (const last_used_at of before) keys.push(await apiKey(database.sql, { last_used_at }))
  await useKeys([...keys.map(({ id }) => id), randomUUID()], Array(4).fill(noon))
  const rows = await rowsOf(database.sql, 'listApiKeys', {})
  const used = new Map(rows.map(row => [row.id, row.last_used_at]))
  expect(keys.map(({ id }) => used.get(id))).toEqual([noon, noon, moment])
})
