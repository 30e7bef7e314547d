// What the parts of the deliverer owe each other: workers that change, records that fail, stops.
import { afterEach, describe, expect, test } from 'bun:test'
import { windowMax } from '../../src/delivery/limits.ts'
import { pageEventsMax } from '../../src/delivery/page_size.ts'
import { until } from '../support/until.ts'
import { dueRetry, type FakeHooks, startFakeHooks } from './fake_hooks.ts'
import { logEvents } from './subscription.ts'

let fake: FakeHooks

/** One or more subscriptions at cursor 0, owned from the first look on. */
async function start(...[owned, options]: Parameters<typeof startFakeHooks>) {
  fake = startFakeHooks(owned, options)
  // Without a session it waits three seconds before it looks.
  await until(() => fake.deliverer.wantedTypes().length > 0, 10_000)
  return fake
}

afterEach(async () => {
  fake.answers = {}
  for (const one of fake.sent) one.answer(200)
  fake.status = 200
  await fake.deliverer.stop()
})

const cursors = () => fake.sent.map(({ cursor }) => cursor)
const inOrder = (rows: { cursor: number }[]) =>
  rows.map(({ cursor }) => cursor).sort((a, b) => a - b)
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1)
const asked = () => fake.of('claimSubscriptions').length

/** Resolves when all has run that follows from an answer: nothing of it waits for a timer. */
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

/** Resolves when whom it owns was looked at anew, with all that follows from it. */
async function refreshed() {
  const before = asked()
  fake.deliverer.refresh()
  await until(() => asked() > before + 1 || fake.of('updateHooksReleased').length > 0)
}

/** The fence of a subscription is raised, and the process hears of it. */
async function raiseFence(no = 1, changed: Partial<FakeHooks['owned'][number]> = {}) {
  fake.owned = fake.owned.map(one =>
    one.no === no ? { ...one, fence: one.fence + 1, ...changed } : one,
  )
  const before = fake.of('listEndedDeliveries').length
  fake.deliverer.refresh()
  await until(() => fake.of('listEndedDeliveries').length > before)
}

test('events are sent, and recorded under the fence', async () => {
  await start([{ no: 1, fence: 7 }])
  fake.status = 200
  fake.sequence(3)
  await until(() => fake.recorded().length === 3)
  expect(cursors()).toEqual([1, 2, 3])
  expect(fake.recorded().map(({ fence }) => fence)).toEqual([7, 7, 7])
  // Nothing is sent before the database knows that it may be.
  const claimed = fake.statements.findIndex(({ name }) => name === 'updateHookPositions')
  expect(claimed).toBeGreaterThan(-1)
  expect(claimed).toBeLessThan(fake.statements.findIndex(({ name }) => name === 'recordDelivered'))
})

test('nothing is claimed while positions are saved', async () => {
  await start([{ no: 1, fence: 7 }])
  fake.status = 200
  const saving = Promise.withResolvers<unknown>()
  fake.sequence(1)
  await until(() => fake.recorded().length === 1)
  fake.answers.updateHookPositions = [() => saving.promise]
  const before = fake.of('updateHookPositions').length
  await until(() => fake.of('updateHookPositions').length > before)
  fake.owned = [...fake.owned, { no: 2, fence: 1 }]
  await refreshed()
  fake.sequence(1)
  await until(() => fake.recorded().length === 2)
  expect(fake.of('updateHookPositions')).toHaveLength(before + 1)
  expect(fake.sent.filter(({ to }) => to.endsWith('/2'))).toEqual([])
  saving.resolve([{ no: 1 }])
  await until(() => fake.sent.some(({ to }) => to.endsWith('/2')))
})

test('one that could not be given back claims anew what it sends next', async () => {
  await start([{ no: 1, fence: 7 }])
  fake.status = 200
  fake.sequence(1)
  await until(() => fake.recorded().length === 1)
  fake.answers.updateHooksReleased = [() => Promise.reject(new Error('away'))]
  fake.owned = [{ no: 1, fence: 7, surplus: true }]
  fake.deliverer.refresh()
  await until(() => fake.of('updateHooksReleased').length > 0)
  const released = fake.statements.findLastIndex(({ name }) => name === 'updateHooksReleased')
  fake.owned = [{ no: 1, fence: 7 }]
  await refreshed()
  fake.sequence(1)
  await until(() => fake.sent.length === 2)
  const claims = fake.statements
    .slice(released, fake.sent[1]?.before)
    .filter(({ name }) => name === 'updateHookPositions')
    .map(({ args }) => (args.claimed_to as number[])[0] ?? 0)
  expect(Math.max(...claims)).toBeGreaterThan(1)
})

test('a claim that is answered late does not outlast a position that was saved since', async () => {
  const answer = Promise.withResolvers<unknown>()
  fake = startFakeHooks([{ no: 1, fence: 7 }])
  fake.answers.updateHookPositions = [() => answer.promise]
  await until(() => fake.deliverer.wantedTypes().length > 0)
  fake.sequence(1)
  await until(() => fake.of('updateHookPositions').length === 1)
  fake.answers.updateHooksReleased = [() => Promise.reject(new Error('away'))]
  fake.owned = [{ no: 1, fence: 7, surplus: true }]
  const before = asked()
  fake.deliverer.refresh()
  await until(() => asked() > before)
  // Given back now, its position would be saved under the claim.
  await settled()
  answer.resolve([{ no: 1 }])
  await until(() => fake.of('updateHooksReleased').length > 0)
  fake.owned = [{ no: 1, fence: 7 }]
  fake.status = 200
  await refreshed()
  await until(() => fake.sent.length === 1)
  const stored = fake.statements
    .slice(0, fake.sent[0]?.before)
    .findLast(({ name }) => name === 'updateHookPositions')
  expect(stored?.args.claimed_to).toEqual([Number.MAX_SAFE_INTEGER])
})

describe('when requests outlive two fences and end while it is not owned', () => {
  async function lostTwice(count: number) {
    await start([{ no: 1, fence: 1 }], { drainMs: 200 })
    fake.sequence(count)
    await until(() => fake.sent.length === count)
    await raiseFence()
    fake.owned = []
    await refreshed()
    await until(() => fake.deliverer.wantedTypes().length === 0)
  }

  test('a stop waits for nothing that is over', async () => {
    await lostTwice(3)
    for (const one of fake.sent) one.answer(200)
    await until(() => fake.recorded().length === 3)
    await fake.deliverer.stop()
    expect(fake.recorded().map(({ fence }) => fence)).toEqual([2, 2, 2])
  })

  test('it sends again once it is owned', async () => {
    await lostTwice(windowMax)
    for (const one of fake.sent) one.answer(200)
    await until(() => fake.recorded().length === windowMax)
    fake.status = 200
    fake.owned = [{ no: 1, fence: 3, cursor: windowMax }]
    fake.deliverer.refresh()
    await until(() => fake.deliverer.wantedTypes().length > 0)
    fake.sequence(5)
    await until(() => fake.sent.length === windowMax + 5)
  })

  test('what failed is sent again', async () => {
    await lostTwice(3)
    for (const one of fake.sent) one.answer(503)
    await until(() => fake.recorded().length === 3)
    fake.answers.listEndedDeliveries = [() => []]
    fake.status = 200
    fake.owned = [{ no: 1, fence: 3 }]
    fake.deliverer.refresh()
    await until(() => fake.sent.length === 6)
  })
})

describe('when the fence is raised while requests are in flight', () => {
  test('they are not sent again, and are recorded under the new one', async () => {
    await start([{ no: 1, fence: 7 }])
    fake.sequence(5)
    await until(() => fake.sent.length === 5)
    await raiseFence()
    for (const one of fake.sent) one.answer(200)
    await until(() => fake.recorded().length === 5)
    expect(inOrder(fake.sent)).toEqual(upTo(5))
    expect(fake.recorded().map(({ fence }) => fence)).toEqual(Array(5).fill(8))
    fake.status = 200
    fake.sequence(1)
    await until(() => fake.sent.length === 6)
    expect(cursors().at(-1)).toBe(6)
  })

  test('what ends while it is asked what ended is neither sent again nor lost', async () => {
    await start([{ no: 1, fence: 7 }])
    fake.sequence(4)
    await until(() => fake.sent.length === 4)
    const look = Promise.withResolvers<unknown>()
    fake.answers.listEndedDeliveries = [() => look.promise]
    await raiseFence()
    for (const one of fake.sent) one.answer(200)
    // Recorded now, it would be known neither as ended nor as under way.
    await settled()
    look.resolve([])
    await until(() => fake.recorded().length === 4)
    expect(fake.recorded().map(({ fence }) => fence)).toEqual(Array(4).fill(8))
    fake.status = 200
    fake.sequence(1)
    await until(() => fake.recorded().length === 5)
    expect(inOrder(fake.sent)).toEqual(upTo(5))
  })

  test('nothing new is sent before it is known what ended', async () => {
    await start([{ no: 1, fence: 7 }])
    fake.status = 200
    fake.sequence(1)
    await until(() => fake.recorded().length === 1)
    const look = Promise.withResolvers<unknown>()
    fake.answers.listEndedDeliveries = [() => look.promise]
    await raiseFence()
    fake.sequence(2)
    expect(cursors()).toEqual([1])
    // As this process had recorded, and another one.
    look.resolve([1, 2].map(cursor => ({ no: 1, cursor })))
    await until(() => fake.sent.length === 2)
    expect(cursors()).toEqual([1, 3])
  })

  test('a retry in flight is left out of what is taken anew; one that waits is not', async () => {
    await start([{ no: 1, fence: 7, retries: 1 }])
    fake.answers.claimRetries = [() => [dueRetry(1, 3), dueRetry(1, -4)]]
    fake.deliverer.refresh()
    await until(() => fake.sent.length === 2)
    await raiseFence()
    const before = fake.of('claimRetries').length
    await until(() => fake.of('claimRetries').length > before)
    expect(fake.of('claimRetries').at(-1)).toMatchObject({
      fences: [8],
      under_way_nos: [1, 1],
      under_way_cursors: [3, -4],
    })
    for (const one of fake.sent) one.answer(200)
    await until(() => fake.recorded().length === 2)
    const after = fake.of('claimRetries').length
    fake.deliverer.refresh()
    await until(() => fake.of('claimRetries').length > after)
    expect(fake.of('claimRetries').at(-1)).toMatchObject({ under_way_cursors: [] })
  })

  test('failures that were counted and not recorded still count', async () => {
    await start([{ no: 1, fence: 7, failures: 3 }])
    fake.answers.recordAttempts = [
      () => {
        throw new Error('the database is away')
      },
    ]
    fake.status = 404
    fake.sequence(2)
    await until(() => fake.of('recordAttempts').length === 1)
    fake.status = undefined
    await raiseFence()
    await until(() => fake.of('recordAttempts').length === 2)
    expect(fake.of('recordAttempts')[1]).toMatchObject({
      fences: [8, 8],
      counted_nos: [1],
      counts: [5],
    })
  })

  test('a success that was recorded ends the run, though the row of the new fence is older', async () => {
    await start([{ no: 1, fence: 7, failures: 9 }])
    fake.status = 200
    fake.sequence(1)
    await until(() => fake.of('recordAttempts').length === 1)
    await raiseFence()
    fake.status = 404
    fake.sequence(1)
    await until(() => fake.of('recordAttempts').length === 2)
    expect(fake.of('recordAttempts').map(({ counts }) => counts)).toEqual([[0], [1]])
  })

  test('switched on again it counts from 0, whatever was counted and not written', async () => {
    await start([{ no: 1, fence: 7, failures: 5 }])
    fake.answers.recordAttempts = [() => []]
    fake.status = 404
    fake.sequence(3)
    await until(() => fake.recorded().length === 3)
    await raiseFence(1, { countedFrom: 8, failures: 0 })
    fake.sequence(1)
    await until(() => fake.recorded().length === 4)
    expect(fake.of('recordAttempts').at(-1)).toMatchObject({ counted_nos: [1], counts: [1] })
  })

  test('a tenth failure that was recorded, answer lost: switched on again, all is sent', async () => {
    await start([{ no: 1, fence: 7 }])
    const away = new Error('the connection is lost')
    fake.answers.recordAttempts = [() => Promise.reject(away)]
    fake.answers.listRecordedAttempts = [
      () => Promise.reject(away),
      ({ nos, cursors: asked }) =>
        (nos as number[]).map((no, place) => ({ no, cursor: (asked as number[])[place] })),
    ]
    fake.status = 404
    fake.sequence(10)
    await until(() => fake.of('listRecordedAttempts').length === 1)
    await raiseFence(1, { countedFrom: 8 })
    fake.status = 200
    fake.sequence(1)
    await until(() => cursors().includes(11))
  })
})

test('lost and owned again while requests are in flight: they are not sent again', async () => {
  await start([{ no: 1, fence: 7 }])
  fake.sequence(3)
  await until(() => fake.sent.length === 3)
  const owned = fake.owned
  fake.owned = []
  await refreshed()
  fake.sequence(1)
  await refreshed()
  expect(cursors()).toEqual([1, 2, 3])
  fake.owned = owned.map(one => ({ ...one, fence: 9 }))
  await until(() => fake.sent.length === 4)
  expect(cursors()).toEqual([1, 2, 3, 4])
  for (const one of fake.sent) one.answer(200)
  await until(() => fake.recorded().length === 4)
  expect(fake.recorded().map(({ fence }) => fence)).toEqual(Array(4).fill(9))
})

test('a subscription that is lost remembers how far it came, exactly', async () => {
  await start([{ no: 1, fence: 7 }])
  fake.sequence(5)
  await until(() => fake.sent.length === 5)
  fake.owned = []
  await refreshed()
  // What comes now is none of its own.
  fake.deliverer.onHead(50)
  for (const one of fake.sent) one.answer(200)
  await until(() => fake.recorded().length === 5)
  const last = () => fake.of('updateHookPositions').at(-1)
  await until(() => (last()?.cursors as number[] | undefined)?.[0] === 5)
  expect(last()).toEqual({ nos: [1], fences: [7], cursors: [5], claimed_to: [5] })
})

describe('the tenth final failure in a row', () => {
  test('ends sending at once; what is in flight is recorded and no longer counted', async () => {
    await start([{ no: 1, fence: 1 }])
    fake.sequence(200)
    await until(() => fake.sent.length === windowMax)
    for (const one of fake.sent.slice(0, 10)) one.answer(410)
    await until(() => fake.recorded().length === 10)
    const [failing] = fake.of('recordAttempts').slice(-1)
    expect(failing).toMatchObject({ counted_nos: [1], counts: [10] })
    const sent = fake.sent.length
    // One more for each of the nine before it.
    expect(sent).toBeLessThanOrEqual(windowMax + 9)
    for (const one of fake.sent.slice(10, 40)) one.answer(410)
    for (const one of fake.sent.slice(40)) one.answer(200)
    await until(() => fake.recorded().length === sent)
    expect(fake.sent).toHaveLength(sent)
    const counts = fake.of('recordAttempts').flatMap(({ counts }) => counts as number[])
    expect(Math.max(...counts)).toBe(10)
    expect(counts.at(-1)).toBe(10)
  })

  test('is the tenth in the order in which they end: a success between begins anew', async () => {
    await start([{ no: 1, fence: 1 }])
    fake.sequence(25)
    await until(() => fake.sent.length === 25)
    for (const [place, one] of fake.sent.entries()) one.answer(place === 9 ? 200 : 404)
    await until(() => fake.recorded().length === 25)
    const last = fake.of('recordAttempts').at(-1)
    expect(last).toMatchObject({ counted_nos: [1], counts: [10] })
    // Reactivated: under another fence, with the count that stands there.
    await raiseFence(1, { countedFrom: 2 })
    fake.sequence(3)
    await until(() => fake.sent.length === 28)
  })
})

test('a lease that may be over ends sending until it is renewed', async () => {
  await start([{ no: 1, fence: 1 }], { leaseMs: 1_500 })
  fake.status = 200
  fake.sequence(1)
  await until(() => fake.recorded().length === 1)
  const renewal = Promise.withResolvers<unknown>()
  fake.answers.claimSubscriptions = [() => renewal.promise]
  const before = asked()
  await until(() => asked() > before)
  let sequenced = 1
  // Each event is sent at once, until the lease may be over.
  await until(() => {
    fake.sequence(1)
    sequenced += 1
    return fake.sent.length < sequenced
  })
  await settled()
  expect(fake.sent).toHaveLength(sequenced - 1)
  renewal.resolve([
    {
      ...{ no: 1, fence: 1, surplus: false, cursor: null, claimed_to: null, id: null },
      ...{ target_url: null, event_types: null, secret: null, ranges: null, retries: 0 },
    },
  ])
  await until(() => fake.sent.length === sequenced)
})

test('a process owns nothing before it has its session: one that died then would keep it for a whole lease', async () => {
  fake = startFakeHooks([{ no: 1, fence: 1 }], { lockKey: null })
  // As at the first attempt that fails, and what a notification wakes.
  fake.deliverer.setLockKey(null)
  fake.deliverer.refresh()
  const since = performance.now()
  // Longer than between two looks.
  await until(() => asked() > 0 || performance.now() - since > 700)
  expect(asked()).toBe(0)
  fake.deliverer.setLockKey(7)
  await until(() => asked() > 0)
  expect(fake.of('claimSubscriptions')[0]?.lock_key).toBe(7)
})

test('a process that gets no session starts without one', async () => {
  await start([{ no: 1, fence: 1 }], { lockKey: null })
  expect(fake.of('claimSubscriptions')[0]?.lock_key).toBe(null)
})

test('a process whose session was cut gives others longer to be back, and one that has just begun does not', async () => {
  await start([{ no: 1, fence: 1 }])
  const lostMs = () => fake.of('claimSubscriptions').at(-1)?.lost_ms
  const asksWith = (lock_key: number | null) =>
    until(() => fake.of('claimSubscriptions').at(-1)?.lock_key === lock_key)
  await asksWith(1)
  expect(lostMs()).toBeNull()
  fake.deliverer.setLockKey(null)
  const lostAt = performance.now()
  await asksWith(null)
  expect(lostMs()).toBe(0)
  await Bun.sleep(20)
  fake.deliverer.setLockKey(2)
  await asksWith(2)
  expect(lostMs()).toBeWithin(19, performance.now() - lostAt + 1)
})

test('a process whose first session could not be made gives others longer, too', async () => {
  fake = startFakeHooks([{ no: 1, fence: 1 }], { lockKey: null })
  fake.deliverer.setLockKey(null)
  await Bun.sleep(20)
  fake.deliverer.setLockKey(7)
  await until(() => asked() > 0)
  expect(fake.of('claimSubscriptions')[0]?.lost_ms).toBeGreaterThan(18)
})

test('while what ended cannot be recorded nothing more is sent, and then everything', async () => {
  await start([{ no: 1, fence: 1 }])
  fake.status = 200
  fake.answers.recordDelivered = Array.from({ length: 3 }, () => () => {
    throw new Error('the database is away')
  })
  fake.sequence(1)
  await until(() => fake.of('recordDelivered').length === 1)
  await until(() => fake.answers.recordDelivered?.length === 2)
  fake.sequence(5)
  expect(fake.sent).toHaveLength(1)
  await until(() => fake.sent.length === 6, 10_000)
  expect(cursors()).toEqual(upTo(6))
})

test('far below the head as much is claimed at once as a large page has, however small pages are', async () => {
  await start([{ no: 1, fence: 1 }])
  fake.status = 200
  const page = (first: number, last: number) => () => [
    ...logEvents(first, last).map(({ cursor, id, body }) => ({
      cursor,
      event_type: 'lead.created',
      event_id: id,
      occurred_ms: 0,
      body,
    })),
    { cursor: last, event_type: null },
  ]
  const rest = () => [{ cursor: 5_000, event_type: null }]
  fake.answers.listLogEvents = [page(1, 10), page(11, 20), rest]
  fake.deliverer.onHead(5_000)
  await until(() => fake.sent.length === 20)
  const claims = fake.of('updateHookPositions').flatMap(({ claimed_to }) => claimed_to)
  expect(new Set(claims.filter(to => Number(to) < 5_000))).toEqual(new Set([pageEventsMax]))
})

test('of a range that could not be claimed nothing is sent until it is owned again', async () => {
  const range = { to: 5, from: 0, claimed_to: 0 }
  await start([{ no: 1, fence: 1, cursor: 5, ranges: [range] }])
  fake.status = 200
  fake.answers.updateHookSkips = [
    () => {
      fake.owned = []
      return []
    },
  ]
  fake.answers.listLogEvents = [
    () => [
      ...logEvents(1, 5).map(one => ({ ...one, event_type: 'lead.created', event_id: one.id })),
      { cursor: 5, event_type: null },
    ],
  ]
  fake.deliverer.onHead(5)
  await until(() => fake.of('updateHookSkips').length > 0)
  const looks = fake.of('claimSubscriptions').length
  await until(() => fake.of('claimSubscriptions').length > looks)
  expect(fake.sent).toEqual([])
  fake.owned = [{ no: 1, fence: 2, cursor: 5, ranges: [range] }]
  fake.deliverer.refresh()
  await until(() => fake.sent.length === 5)
  expect(fake.of('updateHookSkips').at(1)?.fences).toEqual([2])
})

test('what was read while events were erased is read again', async () => {
  await start([{ no: 1, fence: 1 }])
  fake.status = 200
  const row = { event_type: 'lead.created', occurred_ms: 0 }
  const [first, second] = logEvents(1, 2)
  const whole = [first, second].map(one => ({ ...row, event_id: one?.id, ...one }))
  const asked = Promise.withResolvers<void>()
  const page = Promise.withResolvers<unknown>()
  fake.answers.listLogEvents = [
    () => {
      asked.resolve()
      return page.promise
    },
    () => [{ ...whole[0], body: null }, whole[1], { cursor: 2, event_type: null }],
  ]
  fake.deliverer.onHead(2)
  await asked.promise
  fake.deliverer.forgetEvents()
  page.resolve([...whole, { cursor: 2, event_type: null }])
  await until(() => fake.sent.length === 1)
  expect(cursors()).toEqual([2])
})

test('events that were erased are dropped from memory, retries that wait too', async () => {
  await start([{ no: 1, fence: 1 }])
  fake.sequence(80)
  await until(() => fake.sent.length === windowMax)
  fake.deliverer.forgetEvents()
  fake.answers.listLogEvents = [
    () => [
      ...upTo(80)
        .slice(windowMax)
        .map(cursor => ({ cursor, event_type: 'lead.created', body: null })),
      { cursor: 80, event_type: null, body: null },
    ],
  ]
  const before = fake.of('listLogEvents').length
  for (const one of fake.sent) one.answer(200)
  await until(() => fake.of('listLogEvents').length > before)
  await until(() => fake.recorded().length === windowMax)
  fake.status = 200
  fake.sequence(1)
  await until(() => fake.sent.length === windowMax + 1)
  expect(cursors().at(-1)).toBe(81)
})

test('retries that wait in memory are given back when events were erased', async () => {
  await start([{ no: 1, fence: 1, retries: 4 }])
  // Nothing is sent: a record is failing.
  const away = Promise.withResolvers<unknown>()
  fake.status = 200
  fake.answers.recordDelivered = [
    () => {
      throw new Error('the database is away')
    },
    () => away.promise,
  ]
  fake.sequence(1)
  await until(() => fake.of('recordDelivered').length === 1)
  fake.answers.claimRetries = [() => [dueRetry(1, 3), dueRetry(1, 4)]]
  fake.deliverer.refresh()
  await until(() => fake.of('claimRetries').length > 0 && fake.answers.claimRetries?.length === 0)
  fake.deliverer.forgetEvents()
  away.resolve([])
  await until(() => fake.recorded().filter(({ outcome }) => outcome === 'postponed').length === 2)
  expect(fake.sent).toHaveLength(1)
})

test('new events go on when most of ten thousand retries are gone at once', async () => {
  await start([{ no: 1, fence: 1, retries: 10_000 }])
  fake.sequence(1)
  await refreshed()
  expect(fake.sent).toHaveLength(0)
  fake.owned = [{ no: 1, fence: 1, retries: 1 }]
  await refreshed()
  fake.sequence(1)
  await until(() => fake.sent.length === 2)
})

describe('told to stop', () => {
  test('it lets attempts end, records them, and gives back at once what is not busy', async () => {
    await start([
      { no: 1, fence: 1 },
      { no: 2, fence: 1 },
    ])
    fake.sequence(1)
    await until(() => fake.sent.length === 2)
    const [busy, idle] = fake.sent
    idle?.answer(200)
    await until(() => fake.recorded().length === 1)
    let stopped = false
    const stop = fake.deliverer.stop().then(() => {
      stopped = true
    })
    await until(() => fake.of('updateHooksReleased').length > 0)
    const released = Number(idle?.to.split('/').at(-1))
    expect(fake.of('updateHooksReleased')[0]).toMatchObject({ nos: [released] })
    expect([stopped, fake.recorded().length]).toEqual([false, 1])
    busy?.answer(200)
    await stop
    expect(fake.recorded()).toHaveLength(2)
    expect(fake.of('updateHooksReleased').at(-1)).toMatchObject({ nos: null })
    const positions = fake.of('updateHookPositions')
    for (const no of [1, 2])
      expect(
        positions.some(({ nos, cursors }) =>
          (nos as number[]).some((one, place) => one === no && (cursors as number[])[place] === 1),
        ),
      ).toBe(true)
  })

  test('its lease is renewed at once and again, as long as it waits for responses', async () => {
    await start([{ no: 1, fence: 1 }], { leaseMs: 300 })
    fake.sequence(1)
    await until(() => fake.sent.length === 1)
    const stop = fake.deliverer.stop()
    const renewals = () => fake.of('updateHooksReleased').filter(({ nos }) => nos !== null)
    await until(() => renewals().length === 3)
    expect(renewals()).toEqual(
      Array(3).fill(expect.objectContaining({ nos: [], leaving: true, lease_ms: 300 })),
    )
    fake.sent[0]?.answer(200)
    await stop
    // One that waits for nothing is given back, once.
    expect(renewals().filter(({ nos }) => (nos as number[]).length > 0)).toHaveLength(1)
  })

  test('a session that comes back while it waits shows its other lock at once', async () => {
    await start([{ no: 1, fence: 1 }], { lockKey: 5 })
    fake.sequence(1)
    await until(() => fake.sent.length === 1)
    const stop = fake.deliverer.stop()
    const keys = () => fake.of('updateHooksReleased').map(({ lock_key }) => lock_key)
    await until(() => keys().length === 1)
    fake.deliverer.setLockKey(null)
    await until(() => keys().length === 2)
    fake.deliverer.setLockKey(6)
    await until(() => keys().length === 3)
    expect(keys()).toEqual([5, null, 6])
    fake.sent[0]?.answer(200)
    await stop
  })

  test('what is not answered in time is cut off, and stands nowhere as an attempt', async () => {
    await start([{ no: 1, fence: 1 }], { drainMs: 50 })
    fake.sequence(3)
    await until(() => fake.sent.length === 3)
    fake.sent[0]?.answer(200)
    await until(() => fake.recorded().length === 1)
    await fake.deliverer.stop()
    expect(fake.recorded()).toHaveLength(1)
    // It may have arrived: below the claim, above the position.
    const last = fake.of('updateHookPositions').at(-1) as Record<string, number[]>
    expect(last.cursors).toEqual([1])
    expect(last.claimed_to?.[0]).toBeGreaterThanOrEqual(3)
  })

  test('one that was lost while it was busy is waited for too', async () => {
    await start([{ no: 1, fence: 1 }])
    fake.sequence(1)
    await until(() => fake.sent.length === 1)
    fake.owned = []
    await refreshed()
    const stop = fake.deliverer.stop()
    fake.sent[0]?.answer(200)
    await stop
    expect(fake.recorded()).toMatchObject([{ cursor: 1, outcome: 'delivered' }])
  })
})
