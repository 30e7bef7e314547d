// Subscriptions to a receiver, and events for them: what every test of deliveries needs.
import { afterAll, beforeAll } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { readSecretsKeys } from '../../src/secrets_key.ts'
import { type RunningWorker, startWorker, type WorkerTimes } from '../../src/worker.ts'
import type { TestDatabase } from './database.ts'
import * as factory from './factory.ts'
import { type Receiver, useReceiver } from './receiver.ts'
import { quietLog } from './service.ts'
import { testConfig } from './settings.ts'
import { until } from './until.ts'

export type Hook = { id: string; secret: string; path: string }

export type DeliveryRow = { id: number; cursor: number; state: string; attempts: number }

export type AttemptRow = {
  delivery_id: number
  status: number | null
  error_class: string | null
  excerpt: string | null
  duration_ms: number
  started: number
}

export type Hooks = {
  receiver: Receiver
  /** Environment of a worker that trusts the receiver and may call it. */
  settings: Record<string, string>
  /** The same receiver, another database. */
  on(place: Place): Hooks
  subscribe(target: string, columns?: factory.Columns): Promise<Hook>
  /** Commits events, one transaction each of so many; returns their ids. */
  emit(count: number, eventType?: string): Promise<string[]>
  /** Ids of the events that came to the receiver, in the order they came. */
  ids(hook: Hook): Promise<string[]>
  deliveries(hook: Hook): Promise<DeliveryRow[]>
  /** Resolves when every delivery of the subscription has ended, and there are so many. */
  ended(hook: Hook, count: number, milliseconds?: number): Promise<DeliveryRow[]>
  attempts(hook: Hook): Promise<AttemptRow[]>
  state(hook: Hook): Promise<Record<string, unknown>>
  /** Call at the top of a file: a worker for all of its tests. */
  useWorker(times?: Partial<WorkerTimes>): void
  startWorker(times?: Partial<WorkerTimes>, url?: string): Promise<RunningWorker>
  /** A worker in a process of its own; resolves when it works. */
  spawnWorker(times?: Partial<WorkerTimes>, url?: string): Promise<WorkerProcess>
}

export type WorkerProcess = {
  /** At once, whatever it is doing. */
  kill(): Promise<void>
  /** In order; returns the exit code. */
  stop(): Promise<number>
}

const fixture = join(import.meta.dir, '../delivery/fixtures/worker_process.ts')

/** Retries of a test wait this long, in seconds. */
export const shortDelays = [0.1, 0.2, 0.3, 0.4]

type Place = Pick<TestDatabase, 'url' | 'sql'>

/** For whoever may call the receiver, whose authority is in `file`. */
export const receiverSettings = (file: string): Record<string, string> => ({
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_CA_FILE: file,
  WEBHOOK_RETRY_DELAYS: shortDelays.join(','),
})

/** Call at the top of a file, after useDatabase or useService. */
export function useHooks(test: TestDatabase): Hooks {
  const receiver = useReceiver()
  const file = join(tmpdir(), `receiver-ca-${randomUUID()}.pem`)
  const settings = receiverSettings(file)
  beforeAll(() => writeFileSync(file, receiver.ca))
  afterAll(() => rmSync(file, { force: true }))
  return hooksOn(test, receiver, settings)
}

export function hooksOn(test: Place, receiver: Receiver, settings: Record<string, string>): Hooks {
  const deliveries = async ({ id }: Hook) =>
    [
      ...(await test.sql`select id, cursor, state, attempts from hook_deliveries
        where subscription_id = ${id} order by id`),
    ] as unknown as DeliveryRow[]
  const start = (times: Partial<WorkerTimes> = {}, url = test.url) =>
    startWorker(testConfig(settings), url, quietLog(), times)

  return {
    receiver,
    settings,
    on: place => hooksOn(place, receiver, settings),
    async subscribe(target, columns = {}) {
      const id = randomUUID()
      const secret = makeSigningSecret()
      await factory.hook(test.sql, {
        id,
        target_url: target,
        event_types: ['signal.opened'],
        secret: sealSecret(secret, readSecretsKeys(testConfig()), id),
        ...columns,
      })
      return { id, secret, path: new URL(target).pathname }
    },
    async emit(count, eventType = 'signal.opened') {
      const rows = await test.sql`
        select emit_event(${eventType}, 'signal', ${randomUUID()}, '{}',
          jsonb_build_object('t', extract(epoch from clock_timestamp()) * 1000)) as id
        from generate_series(1, ${String(count)}::integer)`
      return rows.map(row => row.id)
    },
    ids: async ({ path }) =>
      (await receiver.requests(path)).map(({ headers }) => headers['webhook-id'] ?? ''),
    deliveries,
    ended: (hook, count, milliseconds = 15_000) =>
      until(async () => {
        const rows = await deliveries(hook)
        const done = rows.length === count && rows.every(row => row.state !== 'pending')
        return done ? rows : undefined
      }, milliseconds),
    attempts: async ({ id }) =>
      [
        ...(await test.sql`select delivery_id, status, error_class, excerpt, duration_ms,
          extract(epoch from started_at)::float8 * 1000 as started
          from hook_attempts join hook_deliveries on hook_deliveries.id = delivery_id
          where subscription_id = ${id} order by started_at`),
      ].map(row => ({ ...row, started: Number(row.started) })) as unknown as AttemptRow[],
    async state({ id }) {
      const [row] = await test.sql`
        select active, consecutive_failures, catch_up_cursor(hook_subscriptions), paused_at
        from hook_subscriptions where id = ${id}`
      return row as Record<string, unknown>
    },
    useWorker(times) {
      let worker: RunningWorker
      beforeAll(async () => {
        worker = await start(times)
      })
      afterAll(() => worker.stop())
    },
    startWorker: start,
    async spawnWorker(times = {}, url = test.url) {
      const args = ['bun', fixture, url, JSON.stringify(settings), JSON.stringify(times)]
      const worker = Bun.spawn(args, { stdio: ['ignore', 'pipe', 'inherit'] })
      await worker.stdout.getReader().read()
      return {
        async kill() {
          worker.kill('SIGKILL')
          await worker.exited
        },
        async stop() {
          worker.kill('SIGTERM')
          return await worker.exited
        },
      }
    },
  }
}
