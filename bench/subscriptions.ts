// Subscriptions of the receiver, what is queued for them, and the service that delivers it.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Sql } from '../src/db/connect.ts'
import { makeSigningSecret, sealSecret } from '../src/model/signing_secret.ts'
import type { BenchDatabase } from './databases.ts'
import { startServiceProcess } from './processes.ts'
import { type BenchReceiver, originsMax } from './receiver.ts'
import { withSql } from './session.ts'

export type BenchSubscription = { id: string; url: string; secret: string }

/** As figures name them. */
export const countSubscriptions = (count: number) =>
  count === 1 ? '1 subscription' : `${count} subscriptions`

const now = 'extract(epoch from clock_timestamp()) * 1000'

/** What a lead's event carries, and `t`, when it was made in Unix milliseconds. */
const eventData = (name: string, t = now) =>
  `jsonb_build_object('lead_id', gen_random_uuid(), 'name', 'Person ' || ${name}, 'email', 'person' || ${name} || '@example.org',
    'phone', '+49 30 23125000', 'source_type', 'chat', 'status', 'new', 'product_domain', null, 't', ${t})`

export const eventType = 'lead.created'

/** Several, so that an event goes to some of the subscriptions, not to all. */
export const severalTypes = [
  'lead.created',
  'lead.stage_changed',
  'lead.archived',
  'analysis.completed',
  'haushalt.updated',
  'appointment.scheduled',
  'appointment.updated',
  'signal.opened',
  'signal.status_changed',
  'advisory_doc.sent',
]

const secretsKey = randomBytes(32)

/** The service as a user starts it, but that it may call the receiver. */
export const startDelivering = (
  database: BenchDatabase,
  { caFile }: BenchReceiver,
  env: Record<string, string> = {},
) =>
  startServiceProcess(database, {
    ...env,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: caFile,
    SECRETS_KEY: secretsKey.toString('hex'),
    // Pruning must not fall into a round.
    EVENT_RETENTION_DAYS: '-1',
  })

const hookTables =
  'events, event_cursors, hook_subscriptions, hook_positions, hook_retries, hook_failures, hook_skips, hook_attempts, hook_workers'

/** Nothing in the feed, and no subscription. */
export async function clearHooks(sql: Sql): Promise<void> {
  await sql.unsafe(`truncate ${hookTables} restart identity`)
  await sql`select setval('events_log_id_seq', 1, false)`
  await sql`update feed set head_floor = 0, horizon = 0, log_floor = 0, late = '[]'`
}

async function subscribe(
  sql: Sql,
  url: string,
  eventTypes: readonly string[],
): Promise<BenchSubscription> {
  const one = { id: randomUUID(), url, secret: makeSigningSecret() }
  const sealed = sealSecret(one.secret, [secretsKey], one.id)
  await sql`insert into hook_subscriptions (id, target_url, event_types, secret)
    values (${one.id}, ${url}, string_to_array(${eventTypes.join()}, ','), ${sealed})`
  return one
}

// The last one is the tar pit's.
const origins = originsMax - 1

/** Of several types each subscription lists one, in turn. More than there are origins share them. */
export async function subscribeAll(
  sql: Sql,
  receiver: BenchReceiver,
  count: number,
  eventTypes: readonly string[] = [eventType],
): Promise<BenchSubscription[]> {
  const subscriptions: BenchSubscription[] = []
  while (subscriptions.length < count) {
    const number = subscriptions.length
    const listed = eventTypes[number % eventTypes.length] ?? eventType
    subscriptions.push(await subscribe(sql, receiver.url(number % origins), [listed]))
  }
  return subscriptions
}

/** Subscriptions whose receiver takes 300 ms for each delivery; their ids. */
export async function subscribeSlow(
  sql: Sql,
  receiver: BenchReceiver,
  count: number,
  eventTypes: readonly string[],
): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number += 1) {
    const listed = eventTypes[number % eventTypes.length] ?? eventType
    ids.push((await subscribe(sql, receiver.url(number, '/slow'), [listed])).id)
  }
  return ids
}

/** A subscription whose receiver can be down. */
export const subscribeDown = (sql: Sql, receiver: BenchReceiver): Promise<BenchSubscription> =>
  subscribe(sql, receiver.url(origins - 1, '/down'), [eventType])

/** A subscription that never gets an answer; its id. */
export async function subscribeTarPit(
  sql: Sql,
  receiver: BenchReceiver,
  eventTypes: readonly string[],
): Promise<string> {
  return (await subscribe(sql, receiver.url(originsMax - 1, '/tarpit'), eventTypes)).id
}

/** Events that are in the feed already, with cursors from 1. */
export async function addEvents(sql: Sql, count: number): Promise<void> {
  await sql.unsafe(`
    insert into events (log_id, id, event_type, schema_version, occurred_at, object_type, object_id, links, data)
    select n, gen_random_uuid(), '${eventType}', '1', now(), 'lead', gen_random_uuid()::text,
      '{"lead_id": null, "session_id": null}', ${eventData('n')}
    from generate_series(1, ${count}) as n`)
  await sql.unsafe(`
    insert into event_cursors (cursor, log_id, event_type)
    select n, n, '${eventType}' from generate_series(1, ${count}) as n`)
  await sql`select setval('events_log_id_seq', ${count})`
  await sql`update feed set log_floor = ${count}`
}

const emit = (type: string, data: string) =>
  `append_event('${type}', 'lead', gen_random_uuid()::text, '{}', ${data})`

export const emitEvents = (sql: Sql, count: number) =>
  sql.unsafe(
    `select count(${emit(eventType, eventData('n'))}) from generate_series(1, ${count}) as n`,
  )

/** One event, as a writer's transaction makes it. $1 is its `t`. */
export const emitStatement = (type: string) =>
  `select ${emit(type, eventData('1', '$1::double precision'))}`

/** So many deliveries are recorded. */
export async function isDelivered(sql: Sql, count: number): Promise<boolean> {
  const [row] =
    await sql`select count(*)::integer as recorded from hook_attempts where outcome = 'd'`
  return row?.recorded >= count
}

/** What went wrong on the way to so many deliveries, as `12 connect`. Throws when some are not recorded. */
export async function listRepeats(sql: Sql, count: number): Promise<string> {
  const [row] = await sql`
    select count(distinct (no, cursor)) filter (where outcome = 'd')::integer as delivered,
      (select coalesce(string_agg(total || ' ' || error_class, ', '), '') from (
        select count(*) as total, error_class from hook_attempts where error_class is not null group by error_class) as classes) as repeats
    from hook_attempts`
  const { delivered, repeats } = row as { delivered: number; repeats: string }
  if (delivered !== count) throw new Error(`of ${count} deliveries ${delivered} are recorded`)
  return repeats
}

export const settleTables = async (sql: Sql, tables: string): Promise<void> => {
  // What autovacuum and the checkpointer would otherwise do in the middle of a round.
  await sql.unsafe(`vacuum (analyze) ${tables}`)
  await sql.unsafe('checkpoint')
}

export const prepared = (
  { url }: BenchDatabase,
  prepare: (sql: Sql) => Promise<unknown>,
): Promise<void> =>
  withSql(url, async sql => {
    await clearHooks(sql)
    await prepare(sql)
    await settleTables(sql, `${hookTables}, feed`)
  })
