// What is gathered in memory is written at a stop, which a database that does not answer holds up for a moment only.
import { expect, test } from 'bun:test'
import { recordEvery } from '../../src/api/start.ts'
import type { Log } from '../../src/observability/log.ts'

test('a stop does not wait for a record that never ends', async () => {
  const faults: string[] = []
  const log = { fault: (where: string) => void faults.push(where) } as unknown as Log
  await recordEvery(60_000, () => new Promise(() => {}), 'key_uses', log)()
  expect(faults).toEqual(['key_uses'])
})
