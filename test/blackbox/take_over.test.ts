// One process of the service is killed, hangs or stops while another waits: how long deliveries pause, and what comes twice.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../../src/db/connect.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { type Environment, type ServingProgram, startProgram } from '../support/process/program.ts'
import { type Subscriber, useWorkspace } from '../support/process/workspace.ts'
import { until } from '../support/until.ts'

// What is not built yet: becomes `test` with it.

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
    // The lease of the processes of the test before may have to end.
    await receives(hook, await emit(), 10_000)
    await workspace.start()
    writer = writeSteadily()
    await until(() => writer.committed.size > 10)
    await receives(hook, [...writer.committed.keys()])
  })
  afterEach(async () => {
    await writer.stop()
    await workspace.unsubscribe()
    for (const one of [...workspace.processes]) await workspace.kill(one)
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
  const recovers = (moment: number, milliseconds: number) =>
    until(async () => {
      const { firsts } = await arrivals()
      const later = [...firsts].filter(([id]) => (writer.committed.get(id) ?? 0) > moment)
      return later.length > 0 && Math.min(...later.map(([, at]) => at)) - moment
    }, milliseconds)

  /** Every committed event, in the end. */
  async function nothingLost(milliseconds = 10_000) {
    await writer.stop()
    await receives(hook, [...writer.committed.keys()], milliseconds)
  }

  test('the leader is killed: the other delivers within six seconds', async () => {
    const moment = now()
    await workspace.kill(first)
    expect(await recovers(moment, 20_000)).toBeLessThan(6_000)
    await nothingLost()
    expect((await arrivals()).doubled).toBeLessThanOrEqual(doubledMax)
  })

  test('the leader hangs: the other delivers within seven seconds, and the resumed one changes nothing', async () => {
    const moment = now()
    first.kill('SIGSTOP')
    expect(await recovers(moment, 30_000)).toBeLessThan(7_000)
    first.kill('SIGCONT')
    const resumedAt = now()
    const written = writer.committed.size
    await until(() => writer.committed.size > written + 100, 20_000)
    await nothingLost()
    const { doubled, firsts } = await arrivals()
    expect(doubled).toBeLessThanOrEqual(doubledMax)
    // Of what came when both ran again, only the first process's last requests came before.
    const again = (await receiver.requests(hook.path)).filter(
      ({ at, body }) => at > resumedAt && (firsts.get(JSON.parse(body).object_id) ?? 0) < at,
    )
    expect(again.length).toBeLessThanOrEqual(doubledMax)
    for (const { body } of again)
      expect(writer.committed.get(JSON.parse(body).object_id)).toBeLessThan(moment)
    expect((await workspace.hook(hook)).active).toBe(true)
  })

  test('the leader stops in order: the other goes on at once, and nothing comes twice', async () => {
    const moment = now()
    expect(await first.stop()).toBe(0)
    workspace.processes.splice(workspace.processes.indexOf(first), 1)
    expect(await recovers(moment, 20_000)).toBeLessThan(1_500)
    await nothingLost()
    const { firsts, doubled } = await arrivals()
    const delays = [...firsts].map(([id, at]) => at - (writer.committed.get(id) ?? at))
    expect(Math.max(...delays)).toBeLessThan(1_500)
    expect(doubled).toBe(0)
  })
})

describe('on the embedded server', () => {
  test('the only process is killed and started again: it delivers within three seconds', async () => {
    const dir = makeDataDir('take-over')
    useMadeCluster(dir)
    // The binary brings no server.
    const env: Environment = { ...workspace.env, DATA_DIR: dir }
    delete env.DATABASE_URL
    const first = await startProgram('Bun', env)
    workspace.processes.push(first)
    const { key } = workspace
    workspace.key = readFileSync(join(dir, 'demo_key'), 'utf8')
    const hook = await workspace.subscribe('/ok/embedded', ['lead.created'])
    const write = async () => {
      const url = readFileSync(join(dir, 'database_url'), 'utf8').trim()
      const sql = connect({
        url,
        connectionsMax: 1,
        applicationName: 'test',
        statementTimeoutMs: 0,
      })
      const [lead] = await sql`insert into leads (name) values ('Erika Beispiel') returning id`
      await sql.end()
      return [lead?.id as string]
    }
    let second: ServingProgram | undefined
    try {
      await receives(hook, await write(), 20_000)
      await workspace.kill(first)
      second = await startProgram('Bun', env)
      await until(async () => (await fetch(`${second?.url}/readyz`)).ok)
      await receives(hook, await write(), 3_000)
    } finally {
      await second?.stop()
      workspace.key = key
      removeDataDir(dir)
    }
  })
})
