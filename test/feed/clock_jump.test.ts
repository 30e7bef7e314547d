// A clock that jumps does not prune the feed away, and does not keep it for ever.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { prune } from '../../src/worker/pruning.ts'
import { useRetention } from '../support/feed/retention.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const { age, bounds, namesFrom, pruneAt, pruneLogAt, pruning, sequence } = useRetention(api)

const bodies = async () =>
  (await api.sql`select data ->> 'name' as name from events order by log_id`).map(
    ({ name }) => name,
  )

/** Three partitions of the feed that expired long ago, if the clock is right. */
async function threeClosed() {
  for (const name of ['one', 'two', 'three']) {
    await sequence(name)
    await pruneAt(2)
  }
}

test('a clock that jumps forward costs a partition a run, and the log says so', async () => {
  await threeClosed()
  expect(await pruneAt(40, 3_600)).toMatchObject({
    partitions_dropped: 1,
    partitions_left: 2,
  })
  expect(await namesFrom()).toEqual(['two', 'three'])
  const { horizon } = await bounds()
  expect(await pruneAt(40, 3_600)).toMatchObject({
    partitions_dropped: 1,
    partitions_left: 1,
  })
  expect((await bounds()).horizon).toBeGreaterThan(horizon)
  const lines: [string, number][] = []
  const log = {
    ...openLog('silent'),
    pruned: (partitions: number) => lines.push(['pruned', partitions]),
    pruningHeldBack: (partitions: number) => lines.push(['held back', partitions]),
  }
  await sequence('four')
  await age(3, 'three')
  await age(2, 'four')
  await pruneAt(0)
  await prune({ ...pruning(), keepDays: 1 }, log)
  expect(lines).toEqual([
    ['pruned', 1],
    ['held back', 1],
  ])
})

test('what expired while the process watched goes at once', async () => {
  await threeClosed()
  expect(await pruneAt(40, 20 * 86_400)).toMatchObject({
    partitions_dropped: 3,
    partitions_left: 0,
  })
})

test('the horizon never moves back', async () => {
  await threeClosed()
  // The oldest is left while the newest expired in plain sight.
  await age(100, 'one')
  await age(90, 'two')
  await pruneAt(40, 20 * 86_400)
  expect(await namesFrom()).toEqual(['two', 'three'])
  const { horizon } = await bounds()
  await pruneAt(40, 20 * 86_400)
  expect((await bounds()).horizon).toBeGreaterThan(horizon)
  expect(await namesFrom()).toEqual([])
})

test('a clock that was ahead for a while and went back keeps nothing for longer', async () => {
  // One after another in a partition, in the next one, and after that by the right clock.
  await sequence('before', 'ahead')
  await age(-3_650, 'ahead')
  await pruneAt(2)
  await sequence('ahead, too')
  await age(-3_650, 'ahead, too')
  await pruneAt(2)
  await pruneLogAt(2)
  await sequence('after')
  await age(-3, 'after')
  await pruneAt(32)
  expect(await namesFrom()).toEqual(['before', 'ahead', 'ahead, too', 'after'])
  await pruneLogAt(32)
  await sequence('newest')
  await age(-32, 'newest')
  await pruneAt(34)
  await pruneLogAt(34)
  expect(await namesFrom()).toEqual(['newest'])
  expect(await bodies()).toEqual(['newest'])
})

test('where what came last is of the right clock, it tells, also where nothing follows', async () => {
  await sequence('ahead', 'after')
  await age(-3_650, 'ahead')
  await pruneAt(2)
  await pruneAt(29)
  expect(await namesFrom()).toEqual(['ahead', 'after'])
  await pruneAt(31)
  expect(await namesFrom()).toEqual([])
})

test('a clock that was behind for a while drops no event that came before', async () => {
  await sequence('before', 'behind')
  await age(20_000, 'behind')
  await pruneAt(2)
  await pruneAt(20)
  expect(await namesFrom()).toEqual(['before', 'behind'])
  await pruneAt(31)
  expect(await namesFrom()).toEqual([])
})
