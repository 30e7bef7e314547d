// Two hundred receivers, streams or clients that take the connection and do not read, over large events: the process, API and
// worker in one, stays small, and another subscription gets its events meanwhile. BLACKBOX_SECONDS keeps them longer,
// BLACKBOX_TIMES writes so many times the events, BLACKBOX_MEMORY_MB is another limit, to see how far it goes.
import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import type { ServingProgram } from '../support/process/program.ts'
import { type RunningWorkspace, useWorkspace } from '../support/process/workspace.ts'
import { makeCertificates } from '../support/receiver/certificates.ts'
import { until } from '../support/until.ts'

// What is not built yet: becomes `test` with it.

const slowCount = 200
const limitMb = Number(process.env.BLACKBOX_MEMORY_MB ?? 600)
const seconds = Number(process.env.BLACKBOX_SECONDS ?? 2)
// More than the buffers of the system take.
const sizes = [
  { kilobytes: 24, megabytes: 10 },
  { kilobytes: 256, megabytes: 15 },
]
type Size = (typeof sizes)[number]
const times = Number(process.env.BLACKBOX_TIMES ?? 1)
setDefaultTimeout((2 * seconds + 180) * 1_000)

// The receivers here have the certificate of the workspace's, which the service trusts.
if (process.env.TEST_CERTIFICATES === undefined) {
  const dir = makeDataDir('certificates')
  process.env.TEST_CERTIFICATES = dir
  afterAll(() => {
    delete process.env.TEST_CERTIFICATES
    removeDataDir(dir)
  })
}

const megabytesOf = ({ pid }: ServingProgram, name: 'VmRSS' | 'VmHWM'): number =>
  Number(
    new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    )?.[1],
  ) / 1_024

/** Commits events whose `data` has about so many bytes, each in a transaction of its own, and together so many megabytes. */
async function writeLarge({ sql }: RunningWorkspace, { kilobytes, megabytes }: Size) {
  const [lead] = await sql`insert into leads (name) values ('Erika Beispiel') returning id`
  for (let left = megabytes * times * 1_024; left > 0; left -= kilobytes)
    await sql`
      insert into lead_analyses (lead_id, channel, source_id, analysis, analysis_v2)
      select ${lead?.id}, 'chat', gen_random_uuid(), '{}', jsonb_build_object('werte', jsonb_agg(random()))
      from generate_series(1, ${String(Math.floor((kilobytes * 1_024) / 20.5))}::integer)`
}

type Slow = {
  /** Connections in use: of receivers those that were called, of clients those that got a status (503: too many at once). */
  count(): number
  close(): void
}

/** Receivers behind one port: each delivery is accepted, encrypted, and never read. */
async function startSlowReceivers(): Promise<Slow & { port: number }> {
  const { key, cert } = (await makeCertificates()).right
  const sockets = new Set<Bun.Socket>()
  const listener = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key, cert },
    socket: {
      handshake(socket) {
        sockets.add(socket)
        socket.pause()
      },
      data() {},
      error() {},
    },
  })
  return { port: listener.port, count: () => sockets.size, close: () => listener.stop(true) }
}

/** Clients of the service that send a request and read no more than the status of its answer. */
async function startSlowClients(
  workspace: RunningWorkspace,
  path: string,
  accept: string,
): Promise<Slow> {
  const { hostname, port } = new URL(workspace.processes[0]?.url ?? '')
  const statuses: string[] = []
  const head = [`GET /api/v1${path} HTTP/1.1`, `Host: ${hostname}:${port}`, `Accept: ${accept}`]
  const request = [...head, `Authorization: Bearer ${workspace.key}`, '', ''].join('\r\n')
  const connecting = Array.from({ length: slowCount }, () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open: socket => void socket.write(request),
        data(socket, bytes) {
          statuses.push(bytes.toString('latin1').split(' ')[1] ?? '')
          socket.pause()
        },
        error() {},
      },
    }),
  )
  const sockets = await Promise.all(connecting)
  return {
    count: () => statuses.filter(status => status === '200' || status === '503').length,
    close() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

/** Does `work`, and ends the process as soon as it is larger than it may be; how large it was, and what failed in `work`. */
async function measure(one: ServingProgram, work: () => Promise<unknown>) {
  let peakMb = 0
  let timer: Timer | undefined
  const exceeded = new Promise<void>(resolve => {
    timer = setInterval(() => {
      peakMb = Math.max(peakMb, megabytesOf(one, 'VmRSS'))
      if (peakMb < limitMb) return
      one.kill('SIGKILL')
      resolve()
    }, 20)
  })
  const fault = await Promise.race([exceeded, work().then(() => undefined, String)])
  clearInterval(timer)
  if (peakMb < limitMb) peakMb = megabytesOf(one, 'VmHWM')
  return { peakMb: Math.round(peakMb), fault }
}

/** A subscription gets its events, one after the other, for so long. Returns the longest wait in milliseconds. */
async function staysHealthy(workspace: RunningWorkspace): Promise<number> {
  const endsAt = performance.now() + seconds * 1_000
  let longest = 0
  for (let rounds = 0; rounds < 20 || performance.now() < endsAt; rounds += 1) {
    const begunAt = performance.now()
    await workspace.receives({ path: '/ok/healthy' }, await workspace.emit(), 30_000)
    longest = Math.max(longest, performance.now() - begunAt)
  }
  return Math.round(longest)
}

type Kind = {
  name: string
  start(workspace: RunningWorkspace, size: Size): Promise<Slow>
}

const kinds: Kind[] = [
  {
    name: 'streams',
    async start(workspace, size) {
      await writeLarge(workspace, size)
      return await startSlowClients(workspace, '/events?after=0', 'text/event-stream')
    },
  },
  {
    name: 'clients of pages',
    async start(workspace, size) {
      await writeLarge(workspace, size)
      return await startSlowClients(workspace, '/events?limit=200', 'application/json')
    },
  },
  // The last, since its subscriptions stay.
  {
    name: 'receivers',
    async start(workspace, size) {
      const slow = await startSlowReceivers()
      for (let place = 0; place < slowCount; place += 1)
        await workspace.subscribe(`https://127.0.0.1:${slow.port}/${place}`, ['analysis.completed'])
      await writeLarge(workspace, size)
      return slow
    },
  },
]

describe.each(sizes)('with events of $kilobytes KB', size => {
  const workspace = useWorkspace({ HOOKS_MAX: '1000' })
  afterEach(async () => {
    for (const one of [...workspace.processes]) await workspace.kill(one)
  })

  for (const { name, start } of kinds)
    test(`${slowCount} ${name} that do not read leave it below ${limitMb} MB`, async () => {
      const one = await workspace.start()
      await workspace.subscribe('/ok/healthy')
      let slow: Slow | undefined
      let longestMs: number | undefined
      const { peakMb, fault } = await measure(one, async () => {
        slow = await start(workspace, size)
        await until(() => (slow?.count() ?? 0) >= slowCount, 30_000)
        longestMs = await staysHealthy(workspace)
      })
      process.stdout.write(
        `  ${size.kilobytes} KB, ${slow?.count()} ${name}: ${peakMb} MB, the other waits ${longestMs} ms\n`,
      )
      slow?.close()
      expect(fault).toBeUndefined()
      expect(peakMb).toBeLessThan(limitMb)
    })
})
