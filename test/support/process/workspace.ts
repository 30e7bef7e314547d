// A workspace from outside: a database that writers write to, a receiver of webhooks, and processes of the service that are
// started by their command line. It uses the contract's tables, HTTP and commands, and nothing of the inside.
import { afterAll, beforeAll, expect } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scopes } from '../../../src/model/scope.ts'
import { makeDataDir, removeDataDir } from '../database/data_dir.ts'
import { type TestDatabase, useDatabase } from '../database/database.ts'
import { deliveriesOf } from '../delivery/delivery.ts'
import { secretsKey } from '../http/settings.ts'
import { useReceiver } from '../receiver/receiver.ts'
import { until } from '../until.ts'
import {
  type Environment,
  type Runtime,
  run,
  type ServingProgram,
  startProgram,
} from './program.ts'

export type Subscriber = { id: string; secret: string; path: string }

/** A path of the receiver, with or without its subscription. */
type Receiving = Pick<Subscriber, 'path'>

/**
 * Call at the top of a file; environment, key and database are there before its first test. It runs the binary of the run where
 * there is one, else the sources.
 */
export function useWorkspace(
  settings: () => Environment = () => ({}),
  database: TestDatabase = useDatabase(),
  runtime: Runtime = process.env.TEST_BINARY ? 'the binary' : 'Bun',
) {
  const receiver = useReceiver()
  const dir = makeDataDir('workspace')
  const file = join(dir, 'ca.pem')
  /** Those that run, the oldest first: HTTP goes to the first. */
  const processes: ServingProgram[] = []
  /** What `unsubscribe` deletes. */
  const subscriptions: Subscriber[] = []
  /** The environment of every process. */
  const env: Environment = {}

  beforeAll(async () => {
    writeFileSync(file, receiver.ca)
    Object.assign(env, {
      DATABASE_URL: database.url,
      DATA_DIR: dir,
      SECRETS_KEY: secretsKey,
      RATE_LIMIT_PER_MINUTE: '1000000',
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: file,
      WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3,0.4',
      ...settings(),
    })
    const named = scopes.join(',')
    const { code, out } = await workspace.command(
      'keys',
      'create',
      '--label',
      'x',
      '--scopes',
      named,
    )
    expect(code).toBe(0)
    workspace.key = out
  }, 60_000)
  afterAll(async () => {
    for (const one of [...processes]) await workspace.kill(one)
    removeDataDir(dir)
  })

  const workspace = {
    database,
    receiver,
    env,
    processes,
    subscriptions,
    /** A key with every scope. */
    key: '',
    /** Resolves when it is ready. */
    async start(added: Environment = {}) {
      const started = await startProgram(runtime, { ...env, ...added })
      processes.push(started)
      await until(async () => (await fetch(`${started.url}/readyz`)).ok, 10_000)
      return started
    },
    /** `kill -9`. */
    async kill(one: ServingProgram) {
      processes.splice(processes.indexOf(one), 1)
      one.kill('SIGKILL')
      await one.exited
    },
    /** In order; its lease is given back. */
    async stop(one: ServingProgram) {
      processes.splice(processes.indexOf(one), 1)
      const code = await one.stop()
      expect([code, code === 0 ? '' : one.output().slice(-5_000)]).toEqual([0, ''])
    },
    command: (...args: string[]) => run(runtime, args, env),
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
    async request(path: string, init: RequestInit = {}): Promise<{ status: number; body: any }> {
      const response = await fetch(`${processes[0]?.url}/api/v1${path}`, {
        headers: {
          authorization: `Bearer ${workspace.key}`,
          'content-type': 'application/json',
        },
        ...init,
      })
      return { status: response.status, body: await response.json() }
    },
    /** `target`: a path of the receiver, or an address. */
    async subscribe(target: string, event_types = ['signal.opened']): Promise<Subscriber> {
      const target_url = target.startsWith('/') ? receiver.url(target) : target
      const { status, body } = await workspace.request('/hooks', {
        method: 'POST',
        body: JSON.stringify({ target_url, event_types }),
      })
      expect([status, body]).toMatchObject([201, { data: { active: true } }])
      const hook = { id: body.data.id, secret: body.data.signing_secret, path: target }
      subscriptions.push(hook)
      return hook
    },
    /** Deletes every subscription. */
    async unsubscribe() {
      for (const { id } of subscriptions.splice(0))
        await workspace.request(`/hooks/${id}`, { method: 'DELETE' })
    },
    /** Its entry in GET /hooks. */
    async hook({ id }: Subscriber) {
      const { body } = await workspace.request('/hooks')
      return body.data.find((one: { id: string }) => one.id === id)
    },
    /** The attempts of each delivery in a state. */
    async deliveries({ id }: Subscriber, wanted: string): Promise<number[]> {
      const found = await deliveriesOf(database.sql, id)
      return found.filter(({ state }) => state === wanted).map(({ attempts }) => attempts)
    },
    /** Commits so many signals in one transaction; returns their ids, which are the events' `object_id`. */
    async emit(count = 1): Promise<string[]> {
      const rows = await database.sql`
        insert into signals (kind, title, score)
        select 'vertragsablauf', 'Vertrag läuft ab', 1 from generate_series(1, ${String(count)}::integer)
        returning id`
      return rows.map(({ id }) => id)
    },
    /** The `object_id` of what came to a path, in the order it came. */
    async received({ path }: Receiving): Promise<string[]> {
      const requests = await receiver.requests(path)
      return requests.map(({ body }) => JSON.parse(body).object_id)
    },
    /** Resolves when all of them came. */
    async receives(hook: Receiving, ids: readonly string[], milliseconds = 5_000) {
      await until(async () => {
        const came = new Set(await workspace.received(hook))
        const missing = ids.filter(id => !came.has(id)).length
        if (missing > 0) throw new Error(`${missing} of ${ids.length} did not come to ${hook.path}`)
        return true
      }, milliseconds)
    },
  }
  return workspace
}
