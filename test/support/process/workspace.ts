// A workspace from outside: a database that writers write to, a receiver of webhooks, and processes of the service that are
// started by their command line. It uses the contract's tables, HTTP and commands, and nothing of the inside.
import { afterAll, beforeAll, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../database/data_dir.ts'
import { type TestDatabase, useDatabase } from '../database/database.ts'
import { type Receiver, useReceiver } from '../receiver/receiver.ts'
import { until } from '../until.ts'
import {
  type Environment,
  type Runtime,
  run,
  type ServingProgram,
  startProgram,
} from './program.ts'

/** The binary of the run where there is one, else the sources. */
const runtime: Runtime = process.env.TEST_BINARY ? 'the binary' : 'Bun'

export type Subscriber = { id: string; secret: string; path: string }

/** One line of `hooks deliveries`. */
export type DeliveryLine = { cursor: number; state: string; eventId: string; attempts: number }

export type RunningWorkspace = TestDatabase & {
  receiver: Receiver
  /** The environment of every process. */
  env: Environment
  /** A key with every scope. */
  key: string
  /** Those that run, the oldest first: HTTP goes to the first. */
  processes: ServingProgram[]
  /** Resolves when it is ready. */
  start(added?: Environment): Promise<ServingProgram>
  /** `kill -9`. */
  kill(one: ServingProgram): Promise<void>
  command(...args: string[]): ReturnType<typeof run>
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  request(path: string, init?: RequestInit): Promise<{ status: number; body: any }>
  /** `target`: a path of the receiver, or an address. */
  subscribe(target: string, event_types?: string[]): Promise<Subscriber>
  /** Deletes every subscription. */
  unsubscribe(): Promise<void>
  /** Its entry in GET /hooks. */
  // biome-ignore lint/suspicious/noExplicitAny: members beyond the contract are looked at too
  hook(hook: Subscriber): Promise<any>
  /** `hooks deliveries ID --state …` */
  deliveries(hook: Subscriber, state: string): Promise<DeliveryLine[]>
  /** Commits so many signals in one transaction; returns their ids, which are the events' `object_id`. */
  emit(count?: number): Promise<string[]>
  /** The `object_id` of what came to a path, in the order it came. */
  received(hook: Pick<Subscriber, 'path'>): Promise<string[]>
  /** Resolves when all of them came. */
  receives(
    hook: Pick<Subscriber, 'path'>,
    ids: readonly string[],
    milliseconds?: number,
  ): Promise<void>
}

const scopes = [
  ...['leads', 'analyses', 'kontakte', 'appointments', 'meetings', 'signals', 'events'].map(
    name => `read:${name}`,
  ),
  'write:hooks',
].join(',')

async function isReady({ url }: ServingProgram): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).ok
}

/** Call at the top of a file; the fields are filled before its first test. */
export function useWorkspace(settings: Environment = {}): RunningWorkspace {
  const workspace = useDatabase() as RunningWorkspace
  const receiver = useReceiver()
  const dir = makeDataDir('workspace')
  const file = join(dir, 'ca.pem')
  const processes: ServingProgram[] = []
  const hooks: Subscriber[] = []
  const base = () => `${processes[0]?.url}/api/v1`

  beforeAll(async () => {
    writeFileSync(file, receiver.ca)
    workspace.env = {
      DATABASE_URL: workspace.url,
      DATA_DIR: dir,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_PER_MINUTE: '1000000',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: file,
      WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3,0.4',
      ...settings,
    }
    const { code, out } = await workspace.command(
      'keys',
      'create',
      '--label',
      'x',
      '--scopes',
      scopes,
    )
    expect(code).toBe(0)
    workspace.key = out
  }, 60_000)
  afterAll(async () => {
    for (const one of [...processes]) await workspace.kill(one)
    removeDataDir(dir)
  })

  return Object.assign(workspace, {
    receiver,
    processes,
    async start(added: Environment = {}) {
      const started = await startProgram(runtime, { ...workspace.env, ...added })
      processes.push(started)
      await until(() => isReady(started), 10_000)
      return started
    },
    async kill(one: ServingProgram) {
      processes.splice(processes.indexOf(one), 1)
      one.kill('SIGKILL')
      await one.exited
    },
    command: (...args: string[]) => run(runtime, args, workspace.env),
    async request(path: string, init: RequestInit = {}) {
      const headers = {
        authorization: `Bearer ${workspace.key}`,
        'content-type': 'application/json',
      }
      const response = await fetch(base() + path, { headers, ...init })
      return { status: response.status, body: await response.json() }
    },
    async subscribe(target: string, event_types = ['signal.opened']) {
      const target_url = target.startsWith('/') ? receiver.url(target) : target
      const { status, body } = await workspace.request('/hooks', {
        method: 'POST',
        body: JSON.stringify({ target_url, event_types }),
      })
      expect([status, body]).toMatchObject([201, { data: { active: true } }])
      const hook = { id: body.data.id, secret: body.data.signing_secret, path: target }
      hooks.push(hook)
      return hook
    },
    async unsubscribe() {
      for (const { id } of hooks.splice(0))
        await workspace.request(`/hooks/${id}`, { method: 'DELETE' })
    },
    async hook({ id }: Subscriber) {
      const { body } = await workspace.request('/hooks')
      return body.data.find((one: { id: string }) => one.id === id)
    },
    async deliveries({ id }: Subscriber, state: string) {
      const { out } = await workspace.command('hooks', 'deliveries', id, '--state', state)
      return out
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line))
        .map(({ cursor, event_id, attempts }) => ({ cursor, state, eventId: event_id, attempts }))
    },
    async emit(count = 1) {
      const rows = await workspace.sql`
        insert into signals (kind, title, score)
        select 'vertragsablauf', 'Vertrag läuft ab', 1 from generate_series(1, ${String(count)}::integer)
        returning id`
      return rows.map(({ id }) => id as string)
    },
    async received({ path }: Pick<Subscriber, 'path'>) {
      const requests = await receiver.requests(path)
      return requests.map(({ body }) => JSON.parse(body).object_id as string)
    },
    async receives(hook: Pick<Subscriber, 'path'>, ids: readonly string[], milliseconds = 5_000) {
      await until(async () => {
        const came = new Set(await workspace.received(hook))
        const missing = ids.filter(id => !came.has(id)).length
        if (missing > 0) throw new Error(`${missing} of ${ids.length} did not come to ${hook.path}`)
        return true
      }, milliseconds)
    },
  })
}
