// A clock that jumps forward does not prune the feed away.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { prune } from '../../src/worker/pruning.ts'
import { useRetention } from '../support/feed/retention.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const { age, bounds, namesFrom, pruneAt, pruning, sequence } = useRetention(api)

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
