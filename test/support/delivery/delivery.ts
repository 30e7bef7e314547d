// Subscriptions to a receiver, and events for them: what every test of deliveries needs.
import { afterAll, beforeAll } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Sql } from '../../../src/db/connect.ts'
import { makeSigningSecret, sealSecret } from '../../../src/model/signing_secret.ts'
import { readSecretsKeys } from '../../../src/secrets/secrets_key.ts'
import { type RunningWorker, startWorker, type WorkerTimes } from '../../../src/worker/start.ts'
import type { TestDatabase } from '../database/database.ts'
import * as factory from '../database/factory.ts'
import { quietLog } from '../http/service.ts'
import { testConfig } from '../http/settings.ts'
import { type Receiver, useReceiver } from '../receiver/receiver.ts'
import { until } from '../until.ts'

export type Hook = { id: string; secret: string; path: string }

type DeliveryRow = { cursor: number; state: string; attempts: number }

type AttemptRow = {
  cursor: number
  status: number | null
  error_class: string | null
  excerpt: string | null
}

type Place = Pick<TestDatabase, 'url' | 'sql'>

/** Every event that was or is to be delivered to a subscription, with how far that came; in the order of cursors. */
export const deliveriesOf = async (sql: Sql, subscriptionId: string) =>
  [
    ...(await sql`
      with hook as (select * from hook_subscriptions where id = ${subscriptionId}),
      tried as (
        select cursor, count(*)::integer as attempts, bool_or(outcome = 'd') as delivered
        from hook_attempts where subscription_id = ${subscriptionId} group by cursor
      ),
      states as (
        select event_cursors.cursor, coalesce(tried.attempts, 0) as attempts,
          case when waiting.due_at is not null then 'pending' when waiting.cursor is not null then 'failed'
            when tried.delivered then 'delivered' when event_cursors.cursor > hook.cursor then 'pending' end as state
        from hook
        join event_cursors on event_type = any (hook.event_types)
        left join hook_outstanding as waiting on subscription_id = hook.id and waiting.cursor = event_cursors.cursor
        left join tried on tried.cursor = event_cursors.cursor
      )
      select cursor, state, attempts from states where state is not null order by cursor`),
  ] as unknown as DeliveryRow[]

/** False while so many deliveries cannot have ended yet: each that has leaves an attempt. Cheap. */
async function mayHaveEnded(sql: Sql, { id }: Hook, count: number): Promise<boolean> {
  const [row] = await sql`
    select count(*) >= ${String(count)}::integer as may from hook_attempts where subscription_id = ${id} and outcome in ('d', 'f')`
  return row?.may !== false
}

/** Call at the top of a file, after useDatabase or useService. */
export function useHooks(test: TestDatabase): Hooks {
  const receiver = useReceiver()
  const file = join(tmpdir(), `receiver-ca-${randomUUID()}.pem`)
  beforeAll(() => writeFileSync(file, receiver.ca))
  afterAll(() => rmSync(file, { force: true }))
  return hooksOn(test, receiver, {
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: file,
    WEBHOOK_RETRY_DELAYS: '0.1,0.2,0.3,0.4',
  })
}

function hooksOn(test: Place, receiver: Receiver, settings: Record<string, string>) {
  const start = (times: Partial<WorkerTimes> = {}, url = test.url) =>
    startWorker(testConfig({ ...settings, DATABASE_URL: url }), url, quietLog(), times)

  const hooks = {
    receiver,
    /** Environment of a worker that trusts the receiver and may call it. */
    settings,
    /** The same receiver, another database. */
    on: (place: Place) => hooksOn(place, receiver, settings),
    async subscribe(target: string, columns: factory.Columns = {}): Promise<Hook> {
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
    /** Commits so many events in one transaction; returns their ids. */
    async emit(count: number, eventType = 'signal.opened') {
      // Into the log itself: emit_event() takes longer, and no receiver can tell them apart.
      const rows = await test.sql`
        insert into events (event_type, schema_version, object_type, object_id, links, data)
        select event_type, schema_version, 'signal', ${randomUUID()}, event_links(null, null), '{}'
        from event_types cross join generate_series(1, ${String(count)}::integer)
        where event_type = ${eventType}
        returning id`
      return rows.map(row => row.id as string)
    },
    /** Ids of the events that came to the receiver, in the order they came. */
    ids: async ({ path }: Hook) =>
      (await receiver.requests(path)).map(({ headers }) => headers['webhook-id'] ?? ''),
    deliveries: ({ id }: Hook) => deliveriesOf(test.sql, id),
    /** Resolves when every delivery of the subscription has ended, and there are so many. */
    ended: (hook: Hook, count: number, milliseconds = 15_000) =>
      until(async () => {
        if (!(await mayHaveEnded(test.sql, hook, count))) return undefined
        const rows = await hooks.deliveries(hook)
        const done = rows.length === count && rows.every(row => row.state !== 'pending')
        return done ? rows : undefined
      }, milliseconds),
    attempts: async ({ id }: Hook) =>
      [
        ...(await test.sql`
          select cursor, status, error_class, excerpt from hook_attempts where subscription_id = ${id} order by started_at`),
      ] as unknown as AttemptRow[],
    async state({ id }: Hook) {
      const [row] = await test.sql`
        select active, consecutive_failures, cursor, version, paused_at from hook_subscriptions where id = ${id}`
      return row as Record<string, unknown>
    },
    /** Call at the top of a file: a worker for all of its tests. */
    useWorker(times?: Partial<WorkerTimes>) {
      let worker: RunningWorker
      beforeAll(async () => {
        worker = await start(times)
      })
      afterAll(() => worker.stop())
    },
    startWorker: start,
  }
  return hooks
}

export type Hooks = ReturnType<typeof hooksOn>
