// What came of a test of the notices, when others push it out of the list of the newest.
import { expect, test } from 'bun:test'
import type { Database } from '../../src/db/database.ts'
import { testNoticeChannels } from '../../src/operations/notices.ts'

test('a test that is not among those listed is not known to be accepted', async () => {
  const database = {
    rows: async () => [{ id: 'test' }],
    list: async () => [{ id: 'another', sent_at: '2026-01-01T00:00:00Z', error_class: null }],
  } as unknown as Database
  expect(await testNoticeChannels(database, ['webhook'], 1)).toBeNull()
})
