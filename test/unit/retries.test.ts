// Which subscriptions are asked for retries that are due, over a database that fails.
import { expect, test } from 'bun:test'
import type { Arguments, Database } from '../../src/db/database.ts'
import { startRetries } from '../../src/delivery/retries.ts'
import { until } from '../support/until.ts'
import { subscription } from './subscription.ts'

test('what was asked for all subscriptions is asked again after a failure', async () => {
  const asked: unknown[] = []
  const answers: unknown[] = ['fails', []]
  const database = {
    async rows(_name: string, args: Arguments) {
      asked.push(args.nos)
      const answer = answers.shift() ?? []
      if (answer === 'fails') throw new Error('The connection is lost.')
      return answer
    },
  } as unknown as Database
  const faults: unknown[] = []
  const one = subscription(1, { retriesWaiting: 0 })
  const retries = startRetries({
    database,
    owned: new Map([[1, one]]),
    capacity: () => 64,
    onDue() {},
    onRead() {},
    onFailure: error => faults.push(error),
  })
  retries.wakeForAll()
  await until(() => asked.length === 2)
  await retries.stop()
  expect(asked).toEqual([[1], [1]])
  expect(faults).toHaveLength(1)
})
