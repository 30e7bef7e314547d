// What a process holds while its clients do not take their answers, or take the largest there are.
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { useDatabase } from '../support/database/database.ts'
import { bearer } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { type ServingProgram, startProgram } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const memoryMaxMb = 600
const database = useDatabase()
let service: ServingProgram
let keys: [string, string]
let smallLead: string
let sockets: Socket[] = []

beforeAll(async () => {
  const { sql, url } = database
  // Past the triggers: the rule of income would take minutes for so much text.
  await sql.unsafe(`
    set session_replication_role = replica;
    insert into events (log_id, event_type, schema_version, object_type, object_id, links, data)
    select n, 'analysis.completed', '2', 'analysis', n, '{}', jsonb_build_object('note',
      (select string_agg(md5(n::text || part), '') from generate_series(1, case when n <= 400 then 768 else 8000 end) as part))
    from generate_series(1, 500) as n;
    select setval('events_log_id_seq', 500);
    insert into event_cursors (cursor, log_id, event_type) select n, n, 'analysis.completed' from generate_series(1, 500) as n;
    insert into leads (name, parsed_data)
    select 'Lead ' || n, jsonb_build_object('note',
      (select string_agg(md5(n::text || part), '') from generate_series(1, 8000) as part))
    from generate_series(1, 200) as n;
    reset session_replication_role`)
  const [lead] = await sql`insert into leads (name, status) values ('Small', 'small') returning id`
  smallLead = lead?.id
  const makeKey = async () =>
    (await createApiKey(openDatabase(sql, queries), { label: 'test', scopes: [...scopes] })).key
  keys = [await makeKey(), await makeKey()]
  const env = { DATABASE_URL: url, SECRETS_KEY: secretsKey, RATE_LIMIT_PER_MINUTE: '1000000' }
  service = await startProgram('Bun', env)
}, 120_000)

afterAll(() => service.stop())
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
})

const peakMb = () =>
  Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024

/** Takes the first bytes of the answer and nothing more; resolves with its status. */
function askUnread(path: string, accept = 'application/json', key = keys[0]): Promise<number> {
  const { port } = new URL(service.url)
  const socket = connect(Number(port), '127.0.0.1')
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
  const { status, body } = await fetch(`${service.url}/api/v1${path}`, bearer(keys[0]))
  for await (const _chunk of body ?? []) {
  }
  return status
}

const times = <Value>(count: number, act: (place: number) => Value) =>
  Array.from({ length: count }, (_, place) => act(place))
const streams = (after: number) => () =>
  // As many as there may be, half of them with each key.
  times(200, place => askUnread(`/events?after=${after}`, 'text/event-stream', keys[place % 2]))
const leads = '/leads?limit=200'

// Beyond what there is room for within some seconds: 503, and not the memory.
const cases: [string, () => Promise<number>[], number[]][] = [
  [
    '200 pages of 4 MB that are not read',
    () => times(200, () => askUnread('/events?limit=200')),
    [200],
  ],
  ['200 streams of 24 KB that are not read', streams(0), [200]],
  ['200 streams of 256 KB that are not read', streams(400), [200]],
  ['eight lists of 51 MB that are not read', () => times(8, () => askUnread(leads)), [200, 503]],
  ['three of them at full speed', () => times(3, () => ask(leads)), [200, 503]],
]

test.each(cases)(
  '%s keep the process small, and small answers go on',
  async (name, act, expected) => {
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
    let statuses: number[] | undefined
    void Promise.all(act()).then(all => {
      statuses = all
    })
    let [peak, steady] = [0, 0]
    // Until all are answered and memory does not grow any more.
    await until(async () => {
      const healthz = fetch(`${service.url}/healthz`)
      const small = ask(`/leads/${smallLead}`)
      expect([(await healthz).status, await small]).toEqual([200, 200])
      steady = peakMb() > peak ? 0 : steady + 1
      peak = peakMb()
      return statuses && steady >= 20
    }, 60_000)
    if (process.env.SHOW_FIGURES) process.stdout.write(`${name}: ${Math.round(peak)} MB\n`)
    expect(peak).toBeLessThan(memoryMaxMb)
    for (const status of statuses ?? []) expect(expected).toContain(status)
  },
  90_000,
)

test('what clients left behind is free again: the largest list is answered', async () => {
  await until(async () => (await ask(leads)) === 200, 60_000)
}, 90_000)
