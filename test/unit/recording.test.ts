// What is gathered in memory is written at a stop, which a database that does not answer holds up for a moment only.
import { expect, test } from 'bun:test'
import { recordEvery } from '../../src/api/start.ts'
import type { Log } from '../../src/observability/log.ts'

test('a stop does not wait for a record that never ends', async () => {
  const faults: string[] = []
  const log = { fault: (where: string) => void faults.push(where) } as unknown as Log
  const stop = recordEvery(60_000, () => new Promise(() => {}), 'key_uses', log)
  await stop()
  expect(faults).toEqual(['key_uses'])
})

test('a stop waits for the record that is under way', async () => {
  const writing = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  let records = 0
  let written = 0
  const log = { fault() {} } as unknown as Log
  const stop = recordEvery(
    1,
    async () => {
      records += 1
      // The last one finds nothing left to write.
      if (records > 1) return
      begun.resolve()
      await writing.promise
      written += 1
    },
    'key_uses',
    log,
  )
  await begun.promise
  const stopped = stop().then(() => written)
  setTimeout(writing.resolve, 20)
  expect(await stopped).toBe(1)
})
