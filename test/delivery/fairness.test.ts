// One subscription does not wait for another's receiver: not for one that never answers, nor for one that takes its time.
import { expect, test } from 'bun:test'
import { windowMax } from '../../src/delivery/limits.ts'
import { useDatabase } from '../support/database/database.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

hooks.useWorker({ sending: { totalMs: 60_000 } })

const subscribe = (paths: readonly string[], type: string) =>
  Promise.all(paths.map(path => hooks.subscribe(receiver.url(path), { event_types: [type] })))
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1)

test('prompt receivers get everything while a dozen others never answer', async () => {
  const type = 'lead.created'
  const pits = await subscribe(
    upTo(12).map(place => `/tarpit/${place}`),
    type,
  )
  const prompt = await subscribe(['/ok/prompt/1', '/ok/prompt/2'], type)
  const ids = await hooks.emit(1_000, type)
  // Long before any of the others gives up.
  for (const hook of prompt) {
    const rows = await hooks.ended(hook, 1_000, 15_000)
    expect(rows.every(({ state, attempts }) => state === 'delivered' && attempts === 1)).toBe(true)
    expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
  }
  const inFlight = await Promise.all(pits.map(async hook => (await hooks.ids(hook)).length))
  expect(Math.max(...inFlight)).toBeLessThanOrEqual(windowMax)
  await database.sql`delete from hook_subscriptions`
}, 30_000)

test('prompt receivers do not wait for slow ones, and those get everything too', async () => {
  const type = 'lead.archived'
  const slow = await subscribe(
    upTo(6).map(place => `/slow/600/${place}`),
    type,
  )
  const prompt = await subscribe(['/ok/quick/1', '/ok/quick/2', '/ok/quick/3'], type)
  const ids = await hooks.emit(200, type)
  const groups = [slow, prompt]
  for (const hook of groups.flat()) await hooks.ended(hook, 200, 20_000)
  // When the last request to each group began.
  const [slowAt = 0, promptAt = 0] = await Promise.all(
    groups.map(async group => {
      const attempts = await Promise.all(group.map(hooks.attempts))
      return Math.max(...attempts.flat().map(({ started }) => started))
    }),
  )
  expect(promptAt).toBeLessThan(slowAt)
  for (const hook of [...slow, ...prompt])
    expect((await hooks.ids(hook)).sort()).toEqual([...ids].sort())
}, 30_000)

test('an event for a prompt receiver is there at once, whatever the others have before it', async () => {
  const type = 'kontakt.merged'
  await subscribe(
    upTo(4).map(place => `/tarpit/late/${place}`),
    type,
  )
  await hooks.emit(300, type)
  // What is in the feed before it is not for it.
  await until(() => isSequenced(database.sql))
  const prompt = await hooks.subscribe(receiver.url('/ok/late'), { event_types: [type] })
  // Two in a row: the first shows that the subscription is known by now.
  for (const count of [1, 2]) {
    await hooks.emit(1, type)
    // Far sooner than the others give up; a busy machine notices late that they are slow.
    await until(async () => (await hooks.ids(prompt)).length === count, 8_000)
  }
})
