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

/** Each key was asked for at these moments, with another code each. */
function useKeys(ids: string[], moments: string[]) {
  const uses = ids.flatMap(id => moments.map((at, code) => ({ id, at, code: String(code) })))
  return openDatabase(database.sql, queries).rows('recordKeyUsage', {
    key_ids: uses.map(({ id }) => id),
    hours: uses.map(() => moment),
    codes: uses.map(({ code }) => code),
    counts: uses.map(() => 1),
    last_ats: uses.map(({ at }) => at),
    last_routes: uses.map(() => 'GET /leads'),
  })
}

test('the last use of many keys is noted at once, at most once a minute, and never moves back', async () => {
  const at = (time: string) => `2026-03-01T${time}+00:00`
  const before = [null, at('10:00:00'), at('10:58:59'), at('10:59:00'), moment]
  const after = [at('11:00:00'), at('11:00:00'), at('11:00:00'), at('10:59:00'), moment]
  const keys = []
  for (const last_used_at of before) keys.push(await apiKey(database.sql, { last_used_at }))
  await useKeys([...keys.map(({ id }) => id), randomUUID()], [at('11:00:00'), at('10:30:00')])
  const rows = await rowsOf(database.sql, 'listApiKeys', {})
  const used = new Map(rows.map(row => [row.id, row.last_used_at]))
  expect(keys.map(({ id }) => used.get(id))).toEqual(after)
})
