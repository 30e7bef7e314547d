// /metrics of the program as an operator runs it: what moves a number, and that no personal data stands in it; and the
// trace that a delivery carries.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { useDatabase } from '../support/database/database.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { growing, readExposition } from '../support/http/exposition.ts'
import { rawRequest, sendRaw } from '../support/http/raw.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { commandLine } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks

type Line = Record<string, unknown> & { event: string }
type Running = { lines(): Line[]; base: string; metrics: string; stop(): Promise<void> }

/** The program with these roles, on the test's database. */
async function start(roles: string): Promise<Running> {
  let said = ''
  const child = Bun.spawn(await commandLine('the binary'), {
    env: {
      // A line for each attempt.
      LOG_LEVEL: 'debug',
      PATH: process.env.PATH ?? '',
      DATABASE_URL: database.url,
      PORT: '0',
      METRICS_PORT: '0',
      ROLES: roles,
      RATE_LIMIT_PER_MINUTE: '12',
      SECRETS_KEY: secretsKey,
      ...hooks.settings,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  void (async () => {
    for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk)
  })()
  const lines = (): Line[] =>
    said
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line))
  const started = await until(() => lines().find(line => line.event === 'started'), 20_000)
  return {
    lines,
    base: `http://127.0.0.1:${started.port}/api/v1`,
    metrics: `http://127.0.0.1:${started.metrics_port}/metrics`,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

let running: Running
let key: string
const unknown = makeApiKey()

beforeAll(async () => {
  const label = 'Canary CRM'
  key = (await createApiKey(openDatabase(database.sql, queries), { label, scopes: [...scopes] }))
    .key
  running = await start('api,worker')
}, 30_000)
afterAll(() => running.stop())

const scrape = async (url = running.metrics) => readExposition(await (await fetch(url)).text())
const numberOf = async (sample: string) => (await scrape()).values[sample]

/** Resolves when the sample has a value that is enough. */
const reaches = (sample: string, least: number) =>
  until(async () => ((await numberOf(sample)) ?? 0) >= least, 10_000)

/** These samples alone: what differs is then easily seen. */
const picked = (values: Record<string, number>, like: Record<string, number>) =>
  Object.fromEntries(Object.keys(like).map(sample => [sample, values[sample]]))

const count = (method: string, route: string, status: number) =>
  `wda_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`

test('requests count by route pattern and status, unknown paths as one', async () => {
  const id = crypto.randomUUID()
  const asked: [string, RequestInit?][] = [
    ['/leads', bearer(key)],
    ['/leads?search=Canary', bearer(key)],
    [`/leads/${id}`, bearer(key)],
    ['/leads/canary', bearer(key)],
    ['/leads', bearer(unknown)],
    ['/leads'],
    ['/canary', bearer(key)],
    ['/canary/2', bearer(key)],
    ['/leads', { ...bearer(key), method: 'POST' }],
  ]
  for (const [path, init] of asked) await sendTo(running.base, path, init)
  const { values } = await scrape()
  const expected = {
    [count('GET', '/leads', 200)]: 2,
    [count('GET', '/leads', 401)]: 2,
    [count('GET', '/leads/{leadId}', 404)]: 1,
    [count('GET', '/leads/{leadId}', 400)]: 1,
    [count('GET', '-', 404)]: 2,
    [count('POST', '-', 405)]: 1,
    'wda_http_errors_total{code="invalid_token"}': 1,
    'wda_http_errors_total{code="missing_token"}': 1,
    'wda_http_errors_total{code="invalid_id"}': 1,
    'wda_http_rate_limited_total{by="key"}': 0,
    'wda_database_statements_in_flight{part="api"}': 0,
    'wda_faults_total{part="api"}': 0,
  }
  expect(picked(values, expected)).toEqual(expected)
  expect(values['wda_database_statements_total{part="api"}']).toBeGreaterThan(3)
  // They took some time too: the histogram of all requests must not begin at 0.
  for (const refused of [count('GET', '-', 404), count('POST', '-', 405)])
    expect(values[refused.replace('_count', '_sum')]).toBeGreaterThan(0)
})

test('what the limit of a key refuses is counted', async () => {
  for (let times = 0; times < 14; times += 1) await sendTo(running.base, '/signals', bearer(key))
  const { values } = await scrape()
  expect(values['wda_http_rate_limited_total{by="key"}']).toBeGreaterThanOrEqual(2)
  expect(values[count('GET', '/signals', 429)]).toBe(
    values['wda_http_rate_limited_total{by="key"}'],
  )
})

const attempts = (outcome: string, errorClass: string) =>
  `wda_delivery_attempts_total{outcome="${outcome}",error_class="${errorClass}"}`

test('the worker’s attempts, times to receipt and pauses count, in the other thread', async () => {
  const columns = { label: 'Canary GmbH' }
  const good = await hooks.subscribe(receiver.url('/ok/canary'), columns)
  await hooks.emit(5)
  await hooks.ended(good, 5)
  await reaches(attempts('delivered', ''), 5)
  await reaches('wda_subscriptions{state="active"}', 1)
  const { values } = await scrape()
  const expected = {
    wda_delivery_receipt_seconds_count: 5,
    'wda_delivery_receipt_seconds_bucket{le="15"}': 5,
    wda_delivery_attempt_duration_seconds_count: 5,
    wda_worker_up: 1,
    wda_worker_restarts_total: 0,
    'wda_listener_up{part="api"}': 1,
    'wda_listener_up{part="worker"}': 1,
  }
  expect(picked(values, expected)).toEqual(expected)
  const bad = await hooks.subscribe(receiver.url('/status/404'), { event_types: ['lead.created'] })
  await hooks.emit(10, 'lead.created')
  await hooks.ended(bad, 10)
  await reaches('wda_hooks_paused_total', 1)
  expect(await numberOf(attempts('failed', 'status'))).toBeGreaterThanOrEqual(10)
  await reaches('wda_subscriptions{state="paused"}', 1)
})

test('feed and queue are read from the database', async () => {
  const held = await hooks.subscribe(receiver.url('/ok/held'), {
    event_types: ['signal.outcome_recorded'],
  })
  await receiver.hold('/ok/held')
  await hooks.emit(3, 'signal.outcome_recorded')
  await reaches('wda_deliveries_pending', 3)
  await reaches('wda_feed_head', 3)
  const { values } = await scrape()
  expect(values.wda_feed_head_age_seconds).toBeLessThan(60)
  // In flight counts as waiting: a receiver that does not answer is seen here.
  expect(values.wda_deliveries_oldest_due_age_seconds).toBeLessThan(60)
  // Those that paused another subscription.
  expect([values.wda_leader, values.wda_deliveries_failed]).toEqual([1, 10])
  await receiver.release('/ok/held')
  await hooks.ended(held, 3)
  await until(async () => (await numberOf('wda_deliveries_pending')) === 0)
})

test('counters only grow, and no series goes', async () => {
  const first = await scrape()
  await sendTo(running.base, '/leads')
  const second = await scrape()
  for (const [sample, value] of growing(first))
    expect([sample, (second.values[sample] ?? -1) >= value]).toEqual([sample, true])
  expect(growing(second).length).toBeGreaterThan(100)
})

test('nothing in them is personal: no ids, keys, addresses, labels', async () => {
  const text = await (await fetch(running.metrics)).text()
  expect(text.toLowerCase()).not.toContain('canary')
  for (const secret of [key, unknown, secretsKey, new URL(receiver.origin).host, database.name])
    expect(text).not.toContain(secret)
  expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-/)
  expect(text).not.toMatch(/https?:\/\//)
})

test('they have a port of their own, where there is nothing else', async () => {
  const response = await fetch(running.metrics)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const { origin } = new URL(running.metrics)
  const statusOf = async (url: string, method = 'GET') => (await fetch(url, { method })).status
  expect(await statusOf(`${origin}/api/v1/leads`)).toBe(404)
  for (const method of ['POST', 'DELETE', 'OPTIONS']) {
    const refused = await fetch(`${origin}/metrics`, { method })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
  const head = await fetch(running.metrics, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect(head.headers.get('content-type')).toBe(response.headers.get('content-type'))
  expect(await statusOf(`${new URL(running.base).origin}/metrics`)).toBe(404)
})

test('a host that is none gets metrics, and no page with our sources', async () => {
  const reply = await sendRaw(
    Number(new URL(running.metrics).port),
    rawRequest('GET', '/metrics', { Host: '1.2.3.4.5', Connection: 'close' }),
  )
  expect(reply.text).toContain('200 OK')
  expect(reply.text).not.toContain('<html')
})

test('a process shows what its roles have', async () => {
  const only = async (role: string) => {
    const one = await start(role)
    const { kinds } = await scrape(one.metrics)
    await one.stop()
    return Object.keys(kinds)
  }
  const [api, worker] = await Promise.all([only('api'), only('worker')])
  for (const shared of ['wda_database_up', 'wda_feed_head', 'wda_build_info', 'wda_listener_up']) {
    expect(api).toContain(shared)
    expect(worker).toContain(shared)
  }
  expect(api).toContain('wda_http_errors_total')
  expect(worker).not.toContain('wda_http_errors_total')
  expect(worker).toContain('wda_worker_up')
  expect(api).not.toContain('wda_worker_up')
}, 30_000)

test('a delivery carries its event as the trace, every attempt a span, and the log has both', async () => {
  const type = 'signal.status_changed'
  await hooks.subscribe(receiver.url('/flaky/2'), { event_types: [type] })
  const [id = ''] = await hooks.emit(1, type)
  const own = (): Line[] => running.lines().filter(line => line.event_id === id)
  await until(() => own().length === 3)
  const received = (await receiver.requests()).filter(({ headers }) => headers['webhook-id'] === id)
  const sent = received.map(({ headers }) => headers.traceparent)
  expect(new Set(sent).size).toBe(3)
  const trace = id.replaceAll('-', '')
  for (const one of sent) expect(one).toMatch(new RegExp(`^00-${trace}-[\\da-f]{16}-01$`))
  expect(own().map(line => `00-${line.trace_id}-${line.span_id}-01`)).toEqual(sent as string[])
  expect(own().map(line => [line.outcome, typeof line.receipt_ms])).toEqual([
    ['retry', 'undefined'],
    ['retry', 'undefined'],
    ['delivered', 'number'],
  ])
})
