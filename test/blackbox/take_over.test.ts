// One process of the service is killed, hangs or stops while another waits: how long deliveries pause, and what comes twice.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { ServingProgram } from '../support/process/program.ts'
import { type Subscriber, useWorkspace } from '../support/process/workspace.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

// The most that is under way to one subscription, or not yet recorded.
const doubledMax = 64

const workspace = useWorkspace()
const { receiver, receives, emit } = workspace
const now = () => performance.timeOrigin + performance.now()

/** Commits one event after the other; `committed` has when each was. */
function writeSteadily() {
  const committed = new Map<string, number>()
  let stopped = false
  const writing = (async () => {
    for (; !stopped; await Bun.sleep(20)) for (const id of await emit()) committed.set(id, now())
  })()
  return {
    committed,
    async stop() {
      stopped = true
      await writing
    },
  }
}

// In order, so that the next process need not wait for a lease to end.
const stopAll = async () => {
  for (const one of [...workspace.processes]) await workspace.stop(one)
}

describe('of two processes', () => {
  let first: ServingProgram
  let hook: Subscriber
  let writer: ReturnType<typeof writeSteadily>
  let number = 0

  // The first leads, since it was alone.
  beforeEach(async () => {
    first = await workspace.start()
    number += 1
    hook = await workspace.subscribe(`/ok/${number}`)
    await receives(hook, await emit(), 10_000)
    await workspace.start()
    writer = writeSteadily()
    await until(() => writer.committed.size > 10)
    await receives(hook, [...writer.committed.keys()])
  })
  afterEach(async () => {
    await writer.stop()
    await workspace.unsubscribe()
    await stopAll()
  })

  /** When each event came first, and how many came twice. */
  async function arrivals() {
    const firsts = new Map<string, number>()
    const requests = await receiver.requests(hook.path)
    for (const { body, at } of requests) {
      const id = JSON.parse(body).object_id
      if (!firsts.has(id)) firsts.set(id, at)
    }
    return { firsts, doubled: requests.length - firsts.size }
  }

  /** Milliseconds from the moment until an event came that was committed after it. */
  const recovers = (moment: number) =>
    until(async () => {
      const { firsts } = await arrivals()
      const later = [...firsts].filter(([id]) => (writer.committed.get(id) ?? 0) > moment)
      return later.length > 0 && Math.min(...later.map(([, at]) => at)) - moment
    }, 20_000)

  /** Every committed event, in the end. */
  async function nothingLost() {
    await writer.stop()
    await receives(hook, [...writer.committed.keys()], 10_000)
  }

  test('the leader is killed: the other delivers within six seconds', async () => {
    const moment = now()
    await workspace.kill(first)
    expect(await recovers(moment)).toBeLessThan(6_000)
    await nothingLost()
    expect((await arrivals()).doubled).toBeLessThanOrEqual(doubledMax)
  })

  test('the leader hangs: the other delivers within seven seconds, and the resumed one changes nothing', async () => {
    const moment = now()
    first.kill('SIGSTOP')
    expect(await recovers(moment)).toBeLessThan(7_000)
    first.kill('SIGCONT')
    const resumedAt = now()
    const written = writer.committed.size
    await until(() => writer.committed.size > written + 50, 20_000)
    await nothingLost()
    const { doubled, firsts } = await arrivals()
    expect(doubled).toBeLessThanOrEqual(doubledMax)
    // Of what came when both ran again, only the first process's last requests came before.
    const again = (await receiver.requests(hook.path)).filter(
      ({ at, body }) => at > resumedAt && (firsts.get(JSON.parse(body).object_id) ?? 0) < at,
    )
    for (const { body } of again)
      expect(writer.committed.get(JSON.parse(body).object_id)).toBeLessThan(moment)
    expect((await workspace.hook(hook)).active).toBe(true)
  })

  test('the leader stops in order: the other goes on at once, and nothing comes twice', async () => {
    const moment = now()
    await workspace.stop(first)
    expect(await recovers(moment)).toBeLessThan(1_500)
    await nothingLost()
    const { firsts, doubled } = await arrivals()
    const delays = [...firsts].map(([id, at]) => at - (writer.committed.get(id) ?? at))
    expect(Math.max(...delays)).toBeLessThan(1_500)
    expect(doubled).toBe(0)
  })
})

test('a clock that was set far ahead does not keep a lease for ever', async () => {
  await workspace.database
    .sql`update leader set worker = gen_random_uuid(), lease_until = now() + interval '1 day'`
  await workspace.start()
  const hook = await workspace.subscribe('/ok/clock')
  await receives(hook, await emit(), 4_000)
  await stopAll()
})
