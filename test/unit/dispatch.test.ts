// What is sent next: whose turn it is, how much may be in flight, what waits for what.
import { beforeEach, describe, expect, test } from 'bun:test'
import type { Delivery } from '../../src/delivery/attempt.ts'
import { type Dispatch, openDispatch, turnMax } from '../../src/delivery/dispatch.ts'
import { promptMax, slowMax, windowMax } from '../../src/delivery/limits.ts'
import { openLogCache } from '../../src/delivery/log_cache.ts'
import { carryOver } from '../../src/delivery/owned_rows.ts'
import { openLane, type Retry, type Subscription } from '../../src/delivery/subscription.ts'
import { eventId, logEvents, subscription } from './subscription.ts'

type Sent = { to: Subscription } & Pick<Delivery, 'cursor' | 'scheduled'>

let sent: Sent[] = []
let asked: { no: number; after: number }[] = []
let head = 0
let blocked = false
let share: number | undefined
let dispatch: Dispatch

/** The log holds so many events for everyone. */
function open(length: number) {
  const cache = openLogCache(() => 0)
  cache.add({ after: 0, to: length, types: ['lead.created'], events: logEvents(1, length) })
  sent = []
  asked = []
  head = length
  blocked = false
  share = undefined
  dispatch = openDispatch({
    cache,
    processorShare: () => share,
    head: () => head,
    start: (to, { cursor, scheduled }) => sent.push({ to, cursor, scheduled }),
    read: ({ no }, _lane, after) => asked.push({ no, after }),
    isBlocked: () => blocked,
  })
  return cache
}

beforeEach(() => void open(1_000))

function run(...subscriptions: Subscription[]) {
  for (const one of subscriptions) dispatch.queue(one)
  dispatch.run()
}

const sentTo = (one: Subscription) =>
  sent.filter(({ to }) => to === one).map(({ cursor }) => cursor)
const upTo = (count: number) => Array.from({ length: count }, (_, place) => place + 1)

/** Ends so many of what was sent to one, as recorded too. */
function end(one: Subscription, count = 1) {
  for (const cursor of sentTo(one).slice(0, count)) {
    dispatch.end(one, cursor)
    one.live.open.delete(cursor)
  }
}

const retry = (cursor: number): Retry => ({
  cursor,
  attempts: 1,
  id: eventId(cursor),
  occurredMs: 0,
  body: '{}',
  test: false,
})

describe('in flight', () => {
  test('no more than 64 to one subscription, in the order of cursors', () => {
    const one = subscription(1)
    run(one)
    expect(sentTo(one)).toEqual(upTo(64))
    end(one, 10)
    run(one)
    expect(sentTo(one)).toEqual(upTo(74))
  })

  test('no more than 128 to prompt receivers in all, and they take turns', () => {
    expect(promptMax).toBeLessThanOrEqual(128)
    const all = upTo(10).map(no => subscription(no))
    run(...all)
    expect(sent).toHaveLength(promptMax)
    const counts = all.map(one => sentTo(one).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    // What ends gives its place to the next, whichever that is.
    for (const one of all) end(one)
    dispatch.run()
    expect(sent).toHaveLength(promptMax + 10)
    const after = all.map(one => sentTo(one).length)
    expect(Math.max(...after) - Math.min(...after)).toBeLessThanOrEqual(1)
  })

  test.each([
    [0.25, promptMax / 4],
    [0.01, 32],
    [undefined, promptMax],
  ])(
    'with a share of %p of a processor, %p to prompt receivers, and no fewer to slow ones',
    (processors, expected) => {
      share = processors
      run(...upTo(10).map(no => subscription(no)))
      expect(sent).toHaveLength(expected)
      run(...upTo(9).map(no => subscription(no + 10, { slow: true })))
      expect(sent).toHaveLength(expected + slowMax)
    },
  )

  test.each([
    [0.25, promptMax / 8],
    [undefined, windowMax],
  ])(
    'with a share of %p, one receiver that stops answering has %p of them, and others go on',
    (processors, expected) => {
      share = processors
      const [stuck, prompt] = [subscription(1), subscription(2)]
      run(stuck)
      run(prompt)
      expect([sentTo(stuck).length, sentTo(prompt).length]).toEqual([expected, expected])
    },
  )

  test('where more wait than may be in flight, one sends four in a row; then the next has its turn', () => {
    expect(turnMax).toBe(4)
    const all = upTo(2 * promptMax).map(no => subscription(no))
    run(...all)
    const [first, next] = [all[0], all[promptMax]] as [Subscription, Subscription]
    expect([sentTo(first), sentTo(next)]).toEqual([[1], []])
    for (const count of upTo(turnMax)) {
      expect(sentTo(first)).toEqual(upTo(count))
      end(first)
      dispatch.run()
    }
    expect([sentTo(first), sentTo(next)]).toEqual([upTo(turnMax), [1]])
  })

  test('slow receivers take no turn of prompt ones', () => {
    const slow = upTo(6).map(no => subscription(no, { slow: true }))
    const prompt = subscription(7)
    run(...slow, prompt)
    expect(sentTo(prompt)).toHaveLength(windowMax)
    expect(sent).toHaveLength(7 * windowMax)
  })

  test('receivers that stay silent take no turn of slow ones, and have few in flight', () => {
    const pits = upTo(10).map(no => subscription(no, { slow: true, silent: true }))
    const slow = upTo(8).map(no => subscription(no + 10, { slow: true }))
    run(...pits, ...slow)
    for (const one of slow) expect(sentTo(one)).toHaveLength(windowMax)
    for (const pit of pits) expect(sentTo(pit)).toHaveLength(8)
  })

  test('one that falls silent makes room for slow ones, and takes its turns again when it answers', () => {
    const pits = upTo(8).map(no => subscription(no, { slow: true }))
    run(...pits)
    const slow = subscription(9, { slow: true })
    run(slow)
    expect([sent.length, sentTo(slow).length]).toEqual([slowMax, 0])
    for (const pit of pits) dispatch.sort(pit, true, true)
    dispatch.run()
    expect(sentTo(slow)).toHaveLength(windowMax)
    const [pit] = pits as [Subscription]
    end(pit, 60)
    run(pit)
    expect(sentTo(pit)).toHaveLength(68)
    dispatch.sort(pit, true)
    run(pit)
    expect(sentTo(pit)).toHaveLength(60 + windowMax)
  })

  test('no more than so many to slow receivers in all', () => {
    run(...upTo(40).map(no => subscription(no, { slow: true })))
    expect(sent).toHaveLength(slowMax)
  })

  test('one that turns slow makes room for prompt ones, and takes it again when it is prompt', () => {
    const pits = [subscription(1), subscription(2)]
    run(...pits)
    expect(sent).toHaveLength(promptMax)
    const prompt = subscription(3)
    run(prompt)
    expect(sentTo(prompt)).toEqual([])
    for (const pit of pits) dispatch.sort(pit, true)
    dispatch.run()
    expect(sentTo(prompt)).toHaveLength(windowMax)
    const [first] = pits as [Subscription]
    dispatch.sort(first, false)
    const other = subscription(4)
    run(other)
    expect(sentTo(other)).toEqual([])
  })
})

describe('nothing is sent', () => {
  test.each([{ paused: true }, { leaving: true }])('to one that is %p', members => {
    const one = subscription(1, { ...members, retries: [retry(7)] })
    run(one)
    expect(sent).toEqual([])
  })

  test('while what ended cannot be recorded; then what was queued goes', () => {
    const one = subscription(1)
    blocked = true
    run(one)
    expect(sent).toEqual([])
    blocked = false
    dispatch.run()
    expect(sentTo(one)).toHaveLength(windowMax)
  })

  test('above what the database knows may have been sent: it is claimed first', () => {
    const one = subscription(1, { live: openLane(0, null, 3) })
    run(one)
    expect(sentTo(one)).toEqual([1, 2, 3])
    expect(asked.at(-1)).toEqual({ no: 1, after: 3 })
    one.live.claimedTo = 5
    run(one)
    expect(sentTo(one)).toEqual([1, 2, 3, 4, 5])
  })

  test('above the head, and at the head all was taken', () => {
    head = 4
    const one = subscription(1)
    run(one)
    expect(sentTo(one)).toEqual([1, 2, 3, 4])
    expect(one.live.atHead).toBe(true)
    expect(asked).toEqual([])
  })

  test('that is skipped, is of another type, or was erased', () => {
    const cache = open(0)
    const log = logEvents(1, 6)
    const [, second] = log
    if (second) second.body = null
    cache.add({
      after: 0,
      to: 9,
      types: ['lead.created', 'lead.archived'],
      events: [...log, ...logEvents(7, 8, 'lead.archived')],
    })
    head = 9
    const one = subscription(1)
    one.live.leftOut = new Set([4, 5])
    run(one)
    expect(sentTo(one)).toEqual([1, 3, 6])
    expect(one.live).toMatchObject({ atHead: true, leftOut: new Set() })
  })
})

test('what is not in memory is read, and the next page once before this one ends', () => {
  const cache = open(100)
  head = 500
  const one = subscription(1)
  run(one)
  expect(sentTo(one)).toHaveLength(windowMax)
  expect(asked).toEqual([{ no: 1, after: 100 }])
  end(one, 64)
  run(one)
  expect(sentTo(one)).toEqual(upTo(100))
  end(one, 36)
  cache.add({ after: 100, to: 500, types: ['lead.created'], events: logEvents(101, 500) })
  run(one)
  expect(sentTo(one)).toEqual(upTo(164))
})

test('no more than one page is read ahead, even where it came at once', () => {
  const cache = open(100)
  head = 2_000
  const one = subscription(1)
  run(one)
  cache.add({ after: 100, to: 500, types: ['lead.created'], events: logEvents(101, 500) })
  end(one, 20)
  run(one)
  expect(asked).toEqual([{ no: 1, after: 100 }])
  end(one, 64)
  run(one)
  expect(sentTo(one)).toContain(101)
  expect(asked).toEqual([
    { no: 1, after: 100 },
    { no: 1, after: 500 },
  ])
})

test('where what was read ahead is gone, one page is read ahead from there', () => {
  const cache = open(100)
  head = 2_000
  const one = subscription(1)
  run(one)
  cache.clear()
  end(one, 1)
  run(one)
  expect(asked.at(-1)).toEqual({ no: 1, after: 64 })
  cache.add({ after: 64, to: 90, types: ['lead.created'], events: logEvents(65, 90) })
  run(one)
  expect(sentTo(one)).toContain(65)
  expect(asked.at(-1)).toEqual({ no: 1, after: 90 })
})

describe('retries', () => {
  test('go before new events', () => {
    const one = subscription(1, { retries: [retry(900), retry(-3)] })
    run(one)
    expect(sentTo(one).slice(0, 3)).toEqual([900, -3, 1])
    expect(sent.slice(0, 3).map(({ scheduled }) => scheduled)).toEqual([true, true, false])
    expect(sent).toHaveLength(windowMax)
  })

  const failing = { retriesWaiting: 500, failedInRow: 64 }

  test('are so many at most while attempts fail: new events wait, but for one now and then', () => {
    const now = performance.now()
    const waiting = subscription(1, { ...failing, lastTakenAt: now, retries: [retry(900)] })
    run(waiting)
    expect(sentTo(waiting)).toEqual([900])
    const probing = subscription(2, { ...failing, lastTakenAt: now - 11_000 })
    run(probing)
    expect(sentTo(probing)).toEqual([1])
    const fewer = subscription(3, { ...failing, lastTakenAt: now, retriesWaiting: 499 })
    run(fewer)
    expect(sentTo(fewer)).not.toEqual([])
  })

  test('of events that fail do not hold up others, until they are very many', () => {
    const one = subscription(1, { retriesWaiting: 9_999, failedInRow: 63 })
    run(one)
    expect(sentTo(one)).toHaveLength(windowMax)
    const full = subscription(2, { retriesWaiting: 10_000, retries: [retry(900)] })
    run(full)
    expect(sentTo(full)).toEqual([900])
  })
})

describe('a range', () => {
  const range = (from: number, until: number) => openLane(from, until, until)

  test('is caught up with when nothing new is there, up to its end', () => {
    const one = subscription(1, { ranges: [range(10, 13)], live: openLane(998, null, 1_000) })
    run(one)
    expect(sentTo(one)).toEqual([999, 1_000, 11, 12, 13])
    expect(one.ranges[0]).toMatchObject({ after: 13, open: new Set([11, 12, 13]) })
    run(one)
    expect(sent).toHaveLength(5)
  })

  test('has a small window of its own, next to that of new events', () => {
    const one = subscription(1, { ranges: [range(0, 900)], live: openLane(1_000, null, 1_000) })
    run(one)
    expect(sentTo(one)).toHaveLength(16)
    const busy = subscription(2, { ranges: [range(0, 900)] })
    run(busy)
    expect(sentTo(busy)).toEqual(upTo(64))
    expect(busy.ranges[0]?.open.size).toBe(0)
  })

  test('leaves half of a window that is small to new events', () => {
    share = 0.1
    const one = subscription(1, { ranges: [range(0, 900)], live: openLane(1_000, null, 1_000) })
    run(one)
    expect(sentTo(one)).toHaveLength(8)
  })

  test('goes on when its requests are over, before they are recorded', () => {
    const one = subscription(1, { ranges: [range(0, 900)], live: openLane(1_000, null, 1_000) })
    run(one)
    for (const cursor of upTo(16)) dispatch.end(one, cursor)
    run(one)
    expect(sentTo(one)).toEqual(upTo(32))
    expect(one.ranges[0]?.open.size).toBe(32)
  })

  test('keeps its window when the fence is raised', () => {
    const fresh = () => ({
      ranges: [range(0, 900)],
      live: openLane(1_000, null, 1_000),
      inFlight: 0,
    })
    let one = subscription(1, fresh())
    run(one)
    for (const fence of [2, 3]) {
      const next = subscription(1, { fence, ...fresh() })
      carryOver(one, next)
      one = next
      for (const cursor of [...next.rangesInFlight]) dispatch.end(next, cursor)
      run(one)
      expect(one.rangesInFlight.size).toBe(16)
      expect(one.inFlight).toBe(16)
    }
  })

  test('several share that window, the oldest first', () => {
    const live = openLane(1_000, null, 1_000)
    const one = subscription(1, { ranges: [range(0, 10), range(20, 90)], live })
    run(one)
    expect(sentTo(one)).toEqual([...upTo(10), 21, 22, 23, 24, 25, 26])
  })
})

test('what is forgotten takes no turn', () => {
  const one = subscription(1)
  dispatch.queue(one)
  dispatch.forget(one)
  dispatch.run()
  expect(sent).toEqual([])
})
