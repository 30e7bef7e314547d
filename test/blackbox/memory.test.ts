// What a process, API and worker in one, holds while two hundred clients or receivers do not take what it sends, or some ask for
// the largest answers at full speed: it stays small, and small answers and other deliveries go on. SHOW_FIGURES prints each peak.
import { afterEach, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { ServingProgram } from '../support/process/program.ts'
import { useWorkspace } from '../support/process/workspace.ts'
import { makeCertificates } from '../support/receiver/certificates.ts'
import { until } from '../support/until.ts'

const slowCount = 200
const memoryMaxMb = 600

const certificates = await makeCertificates('Authority of the slow receivers')
const workspace = useWorkspace(() => ({ HOOKS_MAX: '1000' }))
let service: ServingProgram
// One key opens half of the streams that there may be.
let otherKey = ''
let sockets: (Socket | TLSSocket)[] = []

/** Past the triggers: the rule of income would take minutes for so much text. */
const insertLarge = (table: string, columns: string, values: string, count: number) =>
  workspace.database.sql.begin(async sql => {
    await sql`set local session_replication_role = replica`
    await sql.unsafe(`
      insert into ${table} (${columns})
      select ${values}, jsonb_build_object('note', repeat(md5(n::text), 8000)) from generate_series(1, ${count}) as n`)
  })

/** Events of 256 KB, to be sequenced. */
const writeEvents = () =>
  insertLarge(
    'events',
    'event_type, schema_version, object_type, object_id, links, data',
    `'analysis.completed', '2', 'analysis', n, '{}'`,
    100,
  )

beforeAll(async () => {
  // To clean rows of this size takes longer than the tests, and is done for a session of a replica, too.
  await workspace.database.sql`alter table leads disable trigger user`
  await insertLarge('leads', 'name, parsed_data', `'Lead ' || n`, 200)
  await writeEvents()
  appendFileSync(workspace.env.WEBHOOK_CA_FILE ?? '', `\n${certificates.ca}`)
  service = await workspace.start()
  otherKey = (await workspace.command('keys', 'create', '--label', 'y')).out
  await workspace.subscribe('/ok/healthy')
}, 120_000)

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
})

const peakMb = () =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024

/** Takes the first bytes of the answer and nothing more; resolves with its status. */
function askUnread(
  path: string,
  accept = 'application/json',
  key = workspace.key,
): Promise<number> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  sockets.push(socket)
  socket.write(
    `GET /api/v1${path} HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\nauthorization: Bearer ${key}\r\n\r\n`,
  )
  return new Promise(resolve => {
    socket.on('error', () => resolve(0))
    socket.once('data', (bytes: Buffer) => {
      socket.pause()
      resolve(Number(bytes.toString('latin1', 9, 12)))
    })
  })
}

const ask = async (path: string): Promise<number> => {
  const headers = { authorization: `Bearer ${workspace.key}` }
  const { status, body } = await fetch(`${service.url}/api/v1${path}`, { headers })
  for await (const _chunk of body ?? []) {
  }
  return status
}

/** Receivers behind one port, each called once: the delivery is accepted, encrypted, and never read. */
async function startReceivers(): Promise<number[]> {
  const server = createServer(certificates.right, socket => {
    socket.on('error', () => {}).pause()
    sockets.push(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  for (let place = 0; place < slowCount; place += 1)
    await workspace.subscribe(`https://127.0.0.1:${port}/${place}`, ['analysis.completed'])
  await writeEvents()
  await until(() => sockets.length >= slowCount, 30_000)
  server.close()
  return []
}

const all = (count: number, act: (place: number) => Promise<number>) =>
  Promise.all(Array.from({ length: count }, (_, place) => act(place)))
const stream = (place: number) =>
  askUnread('/events?after=0', 'text/event-stream', place % 2 === 0 ? workspace.key : otherKey)
const leads = '/leads?limit=200'

// Beyond what there is room for within some seconds: 503, and not the memory. Receivers last, since their subscriptions stay.
const cases: [string, () => Promise<number[]>, number[]][] = [
  ['pages of 4 MB that are not read', () => all(slowCount, () => askUnread('/events')), [200, 503]],
  // One key holds half of what there may be.
  ['streams that are not read', () => all(slowCount, stream), [200, 429]],
  ['lists of 51 MB, three that are not read', () => all(3, () => askUnread(leads)), [200, 503]],
  ['lists of 51 MB, three at full speed', () => all(3, () => ask(leads)), [200, 503]],
  ['receivers that do not read', startReceivers, []],
]

test.each(cases)(
  '%s keep the process below 600 MB, and the others go on',
  async (name, act, expected) => {
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
    let statuses: number[] | undefined
    let fault: unknown
    void act().then(
      found => {
        statuses = found
      },
      error => {
        fault = error
      },
    )
    let [peak, steady] = [0, 0]
    // Until all are answered and memory does not grow any more.
    await until(async () => {
      if (fault) throw fault
      const small = ask('/leads?limit=1&status=small')
      await workspace.receives({ path: '/ok/healthy' }, await workspace.emit(), 20_000)
      expect(await small).toBe(200)
      steady = peakMb() > peak + 1 ? 0 : steady + 1
      peak = peakMb()
      return statuses && steady >= 5
    }, 100_000)
    if (process.env.SHOW_FIGURES) process.stdout.write(`${name}: ${Math.round(peak)} MB\n`)
    expect(peak).toBeLessThan(memoryMaxMb)
    for (const status of statuses ?? []) expect(expected).toContain(status)
  },
  120_000,
)
