// What is counted, and the text of it.
import { expect, test } from 'bun:test'
import { AggregatorRegistry, type Registry } from 'prom-client'
import { allMetrics } from '../../scripts/write_readme.ts'
import { type LogEvents, openLog } from '../../src/observability/log.ts'
import { countRequests, countWork } from '../../src/observability/metrics/count.ts'
import { readExposition } from '../support/http/exposition.ts'

const read = async (...registries: Registry[]) => {
  const numbers = await Promise.all(registries.map(registry => registry.getMetricsAsJSON()))
  return readExposition(await AggregatorRegistry.aggregate(numbers).metrics()).values
}

const request = { request_id: 'r', method: 'GET', route: '/leads', status: 200, duration_ms: 3 }
const attempt = {
  cursor: 1,
  subscription_id: 's',
  event_id: 'e',
  attempt: 1,
  outcome: 'delivered',
  duration_ms: 30,
  trace_id: 't',
  span_id: 's',
}

test('every metric has a sentence, and a name of the house or of processes', async () => {
  for (const { name, help, labels } of await allMetrics()) {
    expect(name).toMatch(/^(wda|process)_[a-z]+(_[a-z]+)*$/)
    expect(help).toMatch(/^\S.*\.$/)
    // What could be told apart by them is a person's.
    expect(labels.filter(label => /id|key|url|host|label|name|subscription/.test(label))).toEqual(
      [],
    )
  }
})

test.each<[Partial<LogEvents['request']>, string]>([
  [
    { method: 'BREW', route: '-', status: 404 },
    'wda_http_request_duration_seconds_count{method="other",route="-",status="404"}',
  ],
  [
    { duration_ms: 5 },
    'wda_http_request_duration_seconds_bucket{le="0.005",method="GET",route="/leads",status="200"}',
  ],
  [{ code: 'rate_limited' }, 'wda_http_rate_limited_total{by="address"}'],
])('the request %j counts as %s', async (changes, sample) => {
  const log = openLog('silent')
  const registry = countRequests(log)
  expect((await read(registry))[sample] ?? 0).toBe(0)
  log.event('request', { ...request, ...changes })
  log.event('request', { ...request, ...changes })
  expect((await read(registry))[sample]).toBe(2)
})

test('an attempt to be tried again counts by what went wrong', async () => {
  const log = openLog('silent')
  const registry = countWork(log)
  log.event('attempt', { ...attempt, outcome: 'retry', error_class: 'timeout' })
  const sample = 'wda_delivery_attempts_total{outcome="retry",error_class="timeout"}'
  expect((await read(registry))[sample]).toBe(1)
})

test('each part counts its own listener and faults, and a scrape has both', async () => {
  const [main, thread] = [openLog('silent'), openLog('silent')]
  const registries = [countRequests(main), countWork(thread)]
  thread.event('listener_established', { part: 'worker' })
  thread.fault('delivery', new Error('x'))
  expect(await read(...registries)).toMatchObject({
    'wda_listener_up{part="api"}': 0,
    'wda_listener_up{part="worker"}': 1,
    'wda_faults_total{part="api"}': 0,
    'wda_faults_total{part="worker"}': 1,
  })
  thread.event('listener_lost', { part: 'worker', reason: 'x' })
  expect((await read(...registries))['wda_listener_up{part="worker"}']).toBe(0)
})
