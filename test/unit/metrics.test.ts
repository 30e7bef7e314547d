// What is counted, and the text of it.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { metricCatalog, metricNames } from '../../src/observability/metrics/catalog.ts'
import { shared } from '../../src/observability/metrics/gauges.ts'
import { openRequestNumbers } from '../../src/observability/metrics/requests.ts'
import {
  exposition,
  lengthOf,
  observe,
  type Series,
  value,
} from '../../src/observability/metrics/series.ts'
import {
  makeWorkerMemory,
  openWorkerNumbers,
  watchWorker,
} from '../../src/observability/metrics/worker.ts'
import { readExposition } from '../support/http/exposition.ts'

const silent = openLog('silent')
const read = (series: Iterable<Series>) => readExposition(exposition([...series])).values

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

test('every metric has a sentence, and a name of the house or of processes', () => {
  for (const name of metricNames) {
    expect(name).toMatch(/^(wda|process)_[a-z]+(_[a-z]+)*$/)
    expect(metricCatalog[name].help).toMatch(/^\S.*\.$/)
    // What could be told apart by them is a person's.
    const labels = metricCatalog[name].labels ?? []
    expect(labels.filter(label => /id|key|url|host|label|name|subscription/.test(label))).toEqual(
      [],
    )
  }
})

test('the bounds of histograms ascend', () => {
  for (const name of metricNames) {
    const { kind, bounds } = metricCatalog[name]
    expect([name, bounds !== undefined]).toEqual([name, kind === 'histogram'])
    expect(bounds).toEqual(bounds?.toSorted((one, other) => one - other))
  }
})

test('a value counts in the bucket of the first bound it does not exceed', () => {
  const name = 'wda_delivery_attempt_duration_seconds'
  const cells = new Float64Array(lengthOf(name))
  for (const seconds of [0, 0.005, 0.0051, 15, 15.1, 1_000])
    observe(cells, metricCatalog[name].bounds, seconds)
  const values = read([{ name, labels: {}, cells }])
  const upTo = (bound: string) => values[`${name}_bucket{le="${bound}"}`]
  expect(['0.005', '0.01', '10', '15', '+Inf'].map(upTo)).toEqual([2, 3, 3, 4, 6])
  expect(values[`${name}_sum`]).toBeCloseTo(1_030.1101, 6)
})

test('labels are escaped, whatever stands in them', () => {
  const text = exposition([value('wda_build_info', 1, { version: '"\\\n', runtime: 'ä{},' })])
  expect(text).toContain('wda_build_info{version="\\"\\\\\\n",runtime="ä{},"} 1\n')
  expect(() => readExposition(text)).not.toThrow()
})

test('requests count by method, route and status; a method of no use opens no series', () => {
  const numbers = openRequestNumbers()
  const log = numbers.watchLog(silent)
  for (let times = 0; times < 3; times += 1) log.request(request)
  for (const method of ['BREW', 'WHEN'])
    log.request({ ...request, method, route: '-', status: 404 })
  const values = read(numbers.series())
  const counted = Object.entries(values).filter(([name]) => name.includes('duration_seconds_count'))
  expect(Object.fromEntries(counted)).toEqual({
    'wda_http_request_duration_seconds_count{method="GET",route="/leads",status="200"}': 3,
    'wda_http_request_duration_seconds_count{method="other",route="-",status="404"}': 2,
  })
})

test('refusals tell the limit of a key from an address that guesses', () => {
  const numbers = openRequestNumbers()
  const log = numbers.watchLog(silent)
  log.request({ ...request, status: 429, code: 'rate_limited', key_id: 'k' })
  log.request({ ...request, status: 429, code: 'rate_limited' })
  log.request({ ...request, status: 429, code: 'rate_limited' })
  log.request({ ...request, status: 401, code: 'invalid_token' })
  const values = read(numbers.series())
  expect(values['wda_http_rate_limited_total{by="key"}']).toBe(1)
  expect(values['wda_http_rate_limited_total{by="address"}']).toBe(2)
  expect(values['wda_http_errors_total{code="invalid_token"}']).toBe(1)
  expect(values['wda_http_errors_total{code="missing_token"}']).toBe(0)
})

test('calls of tools count by tool and outcome', () => {
  const numbers = openRequestNumbers()
  const log = numbers.watchLog(silent)
  log.request({ ...request, route: '/mcp', tool: 'get_lead' })
  log.request({ ...request, route: '/mcp', tool: 'get_lead', code: 'not_found' })
  const values = read(numbers.series())
  expect(values['wda_tool_calls_total{tool="get_lead",outcome="answered"}']).toBe(1)
  expect(values['wda_tool_calls_total{tool="get_lead",outcome="error"}']).toBe(1)
})

test('a listener that is lost shows until it hears again', () => {
  const numbers = openRequestNumbers()
  const log = numbers.watchLog(silent)
  const up = () => read(numbers.series())['wda_listener_up{part="api"}']
  const seen = [up()]
  log.listenerEstablished('api')
  seen.push(up())
  log.listenerLost('api', 'the connection ended')
  seen.push(up())
  expect(seen).toEqual([0, 1, 0])
})

test('statements are in flight until they are answered, and when they fail too', async () => {
  const numbers = openRequestNumbers()
  const answers = [Promise.withResolvers<never>(), Promise.withResolvers<never>()]
  let asked = 0
  const send = () => answers[asked++]?.promise as Promise<never>
  const database = numbers.watchDatabase({
    listJson: send,
    getJson: send,
    list: send,
    bytes: send,
    rows: send,
  })
  const sent = [database.getJson('getLead', { lead_id: '' }), database.rows('updateFeedHead', {})]
  const inFlight = () => read(numbers.series())['wda_database_statements_in_flight{part="api"}']
  expect(inFlight()).toBe(2)
  answers[0]?.reject(new Error('away'))
  await expect(sent[0]).rejects.toThrow('away')
  expect(inFlight()).toBe(1)
  answers[1]?.resolve([] as never)
  await sent[1]
  expect(inFlight()).toBe(0)
  expect(read(numbers.series())['wda_database_statements_total{part="api"}']).toBe(2)
})

test('attempts count by outcome and class, and a receipt where there is one', () => {
  const memory = makeWorkerMemory()
  const { log } = watchWorker(memory, silent)
  log.attempt({ ...attempt, receipt_ms: 40 })
  log.attempt({ ...attempt, receipt_ms: undefined })
  log.attempt({ ...attempt, outcome: 'retry', error_class: 'timeout' })
  log.attempt({ ...attempt, outcome: 'failed', error_class: 'blocked' })
  const values = read(openWorkerNumbers(memory).series)
  const attempts = (outcome: string, errorClass: string) =>
    values[`wda_delivery_attempts_total{outcome="${outcome}",error_class="${errorClass}"}`]
  expect([
    attempts('delivered', ''),
    attempts('retry', 'timeout'),
    attempts('failed', 'blocked'),
  ]).toEqual([2, 1, 1])
  expect(values.wda_delivery_attempt_duration_seconds_count).toBe(4)
  expect(values['wda_delivery_receipt_seconds_bucket{le="0.05"}']).toBe(1)
  expect(values.wda_delivery_receipt_seconds_count).toBe(1)
})

test('a worker that is started again counts on, and what was up or under way is not', () => {
  const memory = makeWorkerMemory()
  const numbers = () => read(openWorkerNumbers(memory).series)
  const first = watchWorker(memory, silent)
  first.ready()
  first.log.attempt(attempt)
  first.log.listenerEstablished('worker')
  void first
    .watchDatabase({ rows: () => new Promise(() => {}) } as never)
    .rows('updateFeedHead', {})
  expect(numbers()).toMatchObject({
    wda_worker_up: 1,
    'wda_listener_up{part="worker"}': 1,
    'wda_database_statements_in_flight{part="worker"}': 1,
  })
  const second = watchWorker(memory, silent)
  expect(numbers()).toMatchObject({
    wda_worker_up: 0,
    'wda_listener_up{part="worker"}': 0,
    'wda_database_statements_in_flight{part="worker"}': 0,
  })
  second.log.attempt(attempt)
  expect(numbers()['wda_delivery_attempts_total{outcome="delivered",error_class=""}']).toBe(2)
})

test('scrapes at once, and a moment later, are one question to the database', async () => {
  let now = 0
  const asked: PromiseWithResolvers<number>[] = []
  const ask = () => {
    asked.push(Promise.withResolvers<number>())
    return asked.at(-1)?.promise as Promise<number>
  }
  const read = shared(ask, 1_000, () => now)
  const first = [read(), read()]
  now = 5_000
  // Slow as it is, the database gets no second question.
  first.push(read())
  expect(asked.length).toBe(1)
  asked[0]?.resolve(1)
  expect(await Promise.all(first)).toEqual([1, 1, 1])
  void read()
  now = 5_900
  void read()
  expect(asked.length).toBe(2)
  asked[1]?.resolve(2)
  expect(await read()).toBe(2)
  now = 6_001
  void read()
  expect(asked.length).toBe(3)
})

test('the strict reader refuses what Prometheus would', () => {
  const head = '# HELP wda_a_total A.\n# TYPE wda_a_total counter\n'
  const bad = [
    'wda_a_total 1\n',
    `${head}wda_a_total 1`,
    `${head}wda_a_total -1\n`,
    `${head}wda_b_total 1\n`,
    `${head}wda_a_total{} 1\n`,
    `${head}wda_a_total{x="a"b"} 1\n`,
    `${head}wda_a_total 1\nwda_a_total 1\n`,
    `${head}wda_a_total 1\n${head}wda_a_total{x="1"} 1\n`,
    '# HELP wda_a A.\n# TYPE wda_a counter\nwda_a 1\n',
    '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 2\na_bucket{le="+Inf"} 1\na_sum 1\na_count 1\n',
    '# HELP a A.\n# TYPE a histogram\na_bucket{le="1"} 1\na_sum 1\na_count 1\n',
    '# HELP a A.\n# TYPE a histogram\na_bucket{le="+Inf"} 1\na_sum 1\na_count 2\n',
  ]
  for (const text of bad) expect(() => readExposition(text)).toThrow()
  expect(readExposition(`${head}wda_a_total{x="1"} 1e-7\n`).values).toEqual({
    'wda_a_total{x="1"}': 1e-7,
  })
})
