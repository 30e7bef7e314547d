// /metrics of the program as an operator runs it: what moves a number, that nothing personal stands in it, and a database that
// is away; and the trace that a request and a delivery carry. Which line of the log counts as what: test/unit/metrics.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import { scopes } from '../../src/model/scope.ts'
import { createApiKey } from '../../src/operations/keys.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { useHooks } from '../support/delivery/delivery.ts'
import { growing, readExposition } from '../support/http/exposition.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { type Launched, launch } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(40_000)

const database = useDatabase()
const hooks = useHooks(database)
const { receiver } = hooks
let proxy: TcpProxy
let running: Launched
let base = ''
let metrics = ''
let key = ''
const unknown = makeApiKey()

type Line = Record<string, unknown> & { event: string }
const linesOf = (one: Launched): Line[] =>
  one
    .output()
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line))

/** The program with these roles; where its metrics are. */
async function start(roles: string): Promise<[Launched, metrics: string]> {
  const one = await launch('the binary', {
    // A line for each attempt.
    LOG_LEVEL: 'debug',
    DATABASE_URL: proxy.url,
    METRICS_PORT: '0',
    ROLES: roles,
    RATE_LIMIT_PER_MINUTE: '12',
    SECRETS_KEY: secretsKey,
    ...hooks.settings,
  })
  const started = await until(() => linesOf(one).find(line => line.event === 'started'), 20_000)
  return [one, `http://127.0.0.1:${started.metrics_port}/metrics`]
}

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  const input = { label: 'Canary CRM', scopes: [...scopes] }
  key = (await createApiKey(openDatabase(database.sql, queries), input)).key
  ;[running, metrics] = await start('api,worker')
  base = `${await running.listens()}/api/v1`
})
afterAll(async () => {
  await running.stop()
  proxy.close()
})

const textOf = async (url = metrics) => (await fetch(url)).text()
const scrape = async (url = metrics) => readExposition(await textOf(url))

/** Resolves when every sample has at least its value. */
const reaches = (least: Record<string, number>) =>
  until(async () => {
    const { values } = await scrape()
    return Object.entries(least).every(([sample, value]) => (values[sample] ?? -1) >= value)
  }, 10_000)

const count = (method: string, route: string, status: number) =>
  `wda_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`

test('requests count by route pattern and status, unknown paths as one, refusals by code', async () => {
  const asked: [string, RequestInit?][] = [
    ['/leads?search=Canary', bearer(key)],
    ['/leads/canary', bearer(key)],
    ['/leads', bearer(unknown)],
    ['/canary', bearer(key)],
    ['/canary/2', bearer(key)],
    ['/leads', { ...bearer(key), method: 'POST' }],
    ...Array<[string, RequestInit]>(14).fill(['/signals', bearer(key)]),
  ]
  for (const [path, init] of asked) await sendTo(base, path, init)
  const { values } = await scrape()
  expect(values).toMatchObject({
    [count('GET', '/leads', 200)]: 1,
    [count('GET', '/leads', 401)]: 1,
    [count('GET', '/leads/{leadId}', 400)]: 1,
    [count('GET', '-', 404)]: 2,
    [count('POST', '-', 405)]: 1,
    'wda_http_errors_total{code="invalid_token"}': 1,
    'wda_faults_total{part="api"}': 0,
  })
  const limited = values['wda_http_rate_limited_total{by="key"}']
  expect(limited).toBeGreaterThanOrEqual(2)
  expect(values[count('GET', '/signals', 429)]).toBe(limited)
})

const attempts = (outcome: string, errorClass: string) =>
  `wda_delivery_attempts_total{outcome="${outcome}",error_class="${errorClass}"}`

test('attempts, receipts and pauses of the worker count, and feed and queue are read from the database', async () => {
  const good = await hooks.subscribe(receiver.url('/ok/canary'), { label: 'Canary GmbH' })
  await hooks.emit(5)
  await hooks.ended(good, 5)
  await hooks.subscribe(receiver.url('/answers/404'), { event_types: ['lead.created'] })
  await hooks.emit(10, 'lead.created')
  const held = await hooks.subscribe(receiver.url('/ok/held'), {
    event_types: ['signal.outcome_recorded'],
  })
  await receiver.hold('/ok/held')
  await hooks.emit(3, 'signal.outcome_recorded')
  await reaches({
    [attempts('delivered', '')]: 5,
    [attempts('failed', 'status')]: 10,
    wda_delivery_receipt_seconds_count: 5,
    wda_worker_up: 1,
    'wda_listener_up{part="api"}': 1,
    'wda_listener_up{part="worker"}': 1,
    'wda_subscriptions{state="active"}': 1,
    'wda_subscriptions{state="paused"}': 1,
    wda_deliveries_pending: 3,
    wda_deliveries_failed: 10,
    wda_feed_head: 18,
    wda_leader: 1,
  })
  await receiver.release('/ok/held')
  await hooks.ended(held, 3)
  await until(async () => (await scrape()).values.wda_deliveries_pending === 0)
})

test('counters only grow, no series goes, and nothing in them is personal', async () => {
  const first = await scrape()
  await sendTo(base, '/leads')
  const second = await scrape()
  for (const [sample, value] of growing(first))
    expect([sample, (second.values[sample] ?? -1) >= value]).toEqual([sample, true])
  const text = await textOf()
  expect(text.toLowerCase()).not.toContain('canary')
  for (const secret of [key, unknown, secretsKey, new URL(receiver.origin).host, database.name])
    expect(text).not.toContain(secret)
  expect(text).not.toMatch(/[\da-f]{8}-[\da-f]{4}-|https?:\/\//)
})

test('they have a port of their own, where there is nothing else', async () => {
  const { origin } = new URL(metrics)
  const reply = async (url: string, method = 'GET') => {
    const { status, headers } = await fetch(url, { method })
    return [status, headers.get('content-type') ?? headers.get('allow')]
  }
  const own = [200, 'text/plain; version=0.0.4; charset=utf-8']
  expect([await reply(metrics), await reply(metrics, 'HEAD')]).toEqual([own, own])
  expect((await reply(metrics, 'POST'))[0]).toBe(405)
  expect((await reply(`${origin}/api/v1/leads`))[0]).toBe(404)
  expect((await reply(`${new URL(base).origin}/metrics`))[0]).toBe(404)
})

test('a process shows what its roles have', async () => {
  const kindsOf = async (role: string) => {
    const [one, url] = await start(role)
    const { kinds } = await scrape(url)
    await one.stop()
    return kinds
  }
  const [api, worker] = await Promise.all([kindsOf('api'), kindsOf('worker')])
  for (const shared of ['wda_database_up', 'wda_feed_head', 'wda_build_info', 'wda_listener_up'])
    expect([shared, shared in api, shared in worker]).toEqual([shared, true, true])
  expect(['wda_http_errors_total' in api, 'wda_http_errors_total' in worker]).toEqual([true, false])
  expect(['wda_worker_up' in api, 'wda_worker_up' in worker]).toEqual([false, true])
})

test('a delivery carries its event as the trace, every attempt a span, and the log has both', async () => {
  const type = 'signal.status_changed'
  await hooks.subscribe(receiver.url('/answers/500,500,200'), { event_types: [type] })
  const [id = ''] = await hooks.emit(1, type)
  const own = () => linesOf(running).filter(line => line.event_id === id)
  await until(() => own().length === 3)
  const received = (await receiver.requests()).filter(({ headers }) => headers['webhook-id'] === id)
  const sent = received.map(({ headers }) => headers.traceparent as string)
  expect(own().map(line => `00-${line.trace_id}-${line.span_id}-01`)).toEqual(sent)
  const form = new RegExp(`^00-${id.replaceAll('-', '')}-[\\da-f]{16}-01$`)
  expect([new Set(sent).size, sent.every(one => form.test(one))]).toEqual([3, true])
})

test('while the database is away or silent the process answers for itself, within the timeout of a scrape', async () => {
  const isUp = async () => (await scrape()).values.wda_database_up === 1
  for (const leave of [proxy.away, proxy.silent]) {
    leave()
    // What was answered a moment ago is answered again for a second.
    await until(async () => !(await isUp()), 10_000)
    const { values } = await scrape()
    expect(values.wda_feed_head).toBeUndefined()
    expect(values.process_resident_memory_bytes).toBeGreaterThan(1_000_000)
    await proxy.back()
    await until(isUp, 15_000)
  }
})
