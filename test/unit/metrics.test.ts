// What is counted, and how it is called. test/process/metrics has what a scrape reads of a process.
import { expect, test } from 'bun:test'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { allMetrics } from '../../scripts/write_readme.ts'
import { openLog } from '../../src/observability/log.ts'
import { countRequests, countWork } from '../../src/observability/metrics/count.ts'
import { readExposition } from '../support/http/exposition.ts'

const read = async (...registries: Registry[]) => {
  const numbers = await Promise.all(registries.map(registry => registry.getMetricsAsJSON()))
  return readExposition(await AggregatorRegistry.aggregate(numbers).metrics()).values
}

test('every metric has a sentence, a name of the house or of processes, and no label that tells people apart', async () => {
  for (const { name, help, labels } of await allMetrics()) {
    expect(name).toMatch(/^(wda|process)_[a-z]+(_[a-z]+)*$/)
    expect(help).toMatch(/^\S.*\.$/)
    expect(labels.filter(label => /id|key|url|host|label|name|subscription/.test(label))).toEqual(
      [],
    )
  }
})

const request = { request_id: 'r', method: 'GET', route: '/leads', status: 200, duration_ms: 3 }
const attempt = {
  ...{ cursor: 1, subscription_id: 's', event_id: 'e', attempt: 1, outcome: 'delivered' },
  ...{ duration_ms: 30, trace_id: 't', span_id: 's' },
}
const durations = 'wda_http_request_duration_seconds'
const labels = 'method="GET",route="/leads",status="200"'

test.each<[event: 'request' | 'attempt', changes: object, sample: string]>([
  ['request', {}, `${durations}_count{${labels}}`],
  [
    'request',
    { method: 'BREW', route: '-', status: 404 },
    `${durations}_count{method="other",route="-",status="404"}`,
  ],
  ['request', { duration_ms: 5 }, `${durations}_bucket{le="0.005",${labels}}`],
  ['request', { code: 'invalid_token' }, 'wda_http_errors_total{code="invalid_token"}'],
  ['request', { code: 'rate_limited', key_id: 'k' }, 'wda_http_rate_limited_total{by="key"}'],
  ['request', { code: 'rate_limited' }, 'wda_http_rate_limited_total{by="address"}'],
  ['request', { tool: 'get_lead' }, 'wda_tool_calls_total{tool="get_lead",outcome="answered"}'],
  [
    'request',
    { tool: 'get_lead', code: 'not_found' },
    'wda_tool_calls_total{tool="get_lead",outcome="error"}',
  ],
  ['attempt', {}, 'wda_delivery_attempts_total{outcome="delivered",error_class=""}'],
  [
    'attempt',
    { outcome: 'retry', error_class: 'timeout' },
    'wda_delivery_attempts_total{outcome="retry",error_class="timeout"}',
  ],
  ['attempt', {}, 'wda_delivery_attempt_duration_seconds_count'],
  ['attempt', { receipt_ms: 40 }, 'wda_delivery_receipt_seconds_bucket{le="0.05"}'],
])('the %s %j counts as %s', async (event, changes, sample) => {
  const log = openLog('silent')
  const { registry } = event === 'request' ? countRequests(log) : countWork(log)
  expect((await read(registry))[sample] ?? 0).toBe(0)
  for (const count of [1, 2]) {
    log.event(event, { ...(event === 'request' ? request : attempt), ...changes } as never)
    expect((await read(registry))[sample]).toBe(count)
  }
})

test('each part counts its own listener and faults, and a scrape has both', async () => {
  const [main, thread] = [openLog('silent'), openLog('silent')]
  const registries = [countRequests(main).registry, countWork(thread).registry]
  thread.event('listener_established', { part: 'worker' })
  thread.fault('delivery', new Error('x'))
  expect(await read(...registries)).toMatchObject({
    ...{ 'wda_listener_up{part="api"}': 0, 'wda_listener_up{part="worker"}': 1 },
    ...{ 'wda_faults_total{part="api"}': 0, 'wda_faults_total{part="worker"}': 1 },
  })
  thread.event('listener_lost', { part: 'worker', reason: 'x' })
  expect((await read(...registries))['wda_listener_up{part="worker"}']).toBe(0)
})

test('statements are in flight until they are answered, and when they fail too', async () => {
  const { registry, watchDatabase } = countRequests(openLog('silent'))
  const answer = Promise.withResolvers<never>()
  const database = watchDatabase({ json: () => answer.promise, rows: async () => [] })
  const sent = database.json('getLead', { lead_id: '' })
  await database.rows('updateFeedHead', {})
  const samples = async () => {
    const values = await read(registry)
    return ['in_flight', 'total'].map(name => values[`wda_database_statements_${name}{part="api"}`])
  }
  expect(await samples()).toEqual([1, 2])
  answer.reject(new Error('away'))
  await expect(sent).rejects.toThrow('away')
  expect(await samples()).toEqual([0, 2])
})
