// An attempt that fails before it is sent: the operator learns which subscription and which event it was.
import { expect, test } from 'bun:test'
import { makeAttempt } from '../../src/delivery/attempt.ts'
import type { Target } from '../../src/delivery/subscription.ts'
import { openLog } from '../../src/observability/log.ts'

test('a delivery that cannot be signed is due again in a minute, and its fault names it', async () => {
  const faults: unknown[] = []
  const log = { ...openLog('silent'), fault: (...told: unknown[]) => void faults.push(told) }
  const missing = new Error('the key is not among the keys of SECRETS_KEY')
  const sign = () => {
    throw missing
  }
  const sender = { send: () => Promise.reject(new Error('it was sent unsigned')) } as never
  const id = crypto.randomUUID()
  const delivery = { id, cursor: 7, attempts: 0, occurredMs: 0, body: '{}' }
  const { outcome, reply } = await makeAttempt(
    { sender, sign, log, delaysMs: [] },
    { id: 'subscription 1', url: 'https://receiver.example' } as Target,
    { ...delivery, test: false, scheduled: false },
  )
  expect([outcome, reply]).toEqual([{ kind: 'postponed', delayMs: 60_000 }, null])
  expect(faults).toEqual([['delivery', missing, { subscription_id: 'subscription 1', cursor: 7 }]])
})
