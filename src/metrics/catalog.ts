// Every metric there is: its name, kind, meaning and labels. What is counted is typed by this list, and the README's
// table is made from it. No label names a person, a key, a URL or a subscription.

type Metric = {
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels?: readonly string[]
  /** Upper bounds of a histogram's buckets, in seconds. */
  bounds?: readonly number[]
}

const metric = (definition: Metric): Metric => definition

// Pages take a millisecond or two, a statement at most STATEMENT_TIMEOUT_MS.
const requestBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
// An attempt ends after 15 s.
const attemptBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
// From the goal (5 ms at the median, 25 ms for 99 of 100) to the last retry, 36 minutes later and more.
const receiptBounds = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15, 60, 300, 1_800, 3_600]

export const catalog = {
  wda_http_request_duration_seconds: metric({
    kind: 'histogram',
    help: 'Requests and how long their answers took, by route pattern; "-" is no route. Health checks and assets are not counted.',
    labels: ['method', 'route', 'status'],
    bounds: requestBounds,
  }),
  wda_http_errors_total: metric({
    kind: 'counter',
    help: 'Requests and tool calls that came to an error, by its code: missing_token and invalid_token are failed authentications.',
    labels: ['code'],
  }),
  wda_http_rate_limited_total: metric({
    kind: 'counter',
    help: 'Requests refused as rate_limited: over the limit of a key, or from an address that failed to authenticate too often.',
    labels: ['by'],
  }),
  wda_tool_calls_total: metric({
    kind: 'counter',
    help: 'Calls of agents to tools, by whether they came to an error.',
    labels: ['tool', 'outcome'],
  }),
  wda_faults_total: metric({
    kind: 'counter',
    help: 'Faults of ours; the log tells each with its place.',
    labels: ['part'],
  }),
  wda_listener_up: metric({
    kind: 'gauge',
    help: '1 while notifications of the database are heard. At 0 everything works by looking, later than usual.',
    labels: ['part'],
  }),
  wda_database_statements_total: metric({
    kind: 'counter',
    help: 'Statements sent to the database.',
    labels: ['part'],
  }),
  wda_database_statements_in_flight: metric({
    kind: 'gauge',
    help: 'Statements that run or wait for a connection. The api part has twice DATABASE_POOL_MAX connections.',
    labels: ['part'],
  }),
  wda_worker_up: metric({ kind: 'gauge', help: '1 while the worker thread works.' }),
  wda_worker_restarts_total: metric({
    kind: 'counter',
    help: 'How often the worker thread ended by itself.',
  }),
  wda_delivery_attempts_total: metric({
    kind: 'counter',
    help: 'Attempts to deliver: delivered, retry (tried again later) or failed for good, and why it was no success.',
    labels: ['outcome', 'error_class'],
  }),
  wda_delivery_attempt_duration_seconds: metric({
    kind: 'histogram',
    help: 'How long attempts took, from the name of the host to the end of the answer.',
    bounds: attemptBounds,
  }),
  wda_delivery_receipt_seconds: metric({
    kind: 'histogram',
    help: "From a change to its subscriber's 2xx: feed, queue, retries and pauses included. Test events are not counted.",
    bounds: receiptBounds,
  }),
  wda_hooks_paused_total: metric({
    kind: 'counter',
    help: 'Subscriptions that ten final failures in a row paused.',
  }),
  wda_owner_notices_total: metric({
    kind: 'counter',
    help: 'Attempts to tell OWNER_WEBHOOK_URL that a webhook keeps failing.',
    labels: ['outcome'],
  }),
  wda_database_up: metric({
    kind: 'gauge',
    help: '1 if the database answered this scrape; at 0 the metrics of the whole workspace are missing.',
  }),
  wda_outbox_events: metric({
    kind: 'gauge',
    help: 'Events that wait for their cursor; at most 10000 are counted.',
  }),
  wda_outbox_oldest_age_seconds: metric({
    kind: 'gauge',
    help: 'How long the oldest event without a cursor has waited; 0 without any.',
  }),
  wda_feed_head: metric({ kind: 'gauge', help: 'Cursor of the newest event in the feed.' }),
  wda_feed_head_age_seconds: metric({
    kind: 'gauge',
    help: 'How long ago the newest event came into the feed.',
  }),
  wda_feed_horizon: metric({ kind: 'gauge', help: 'Highest cursor that is retained no longer.' }),
  wda_feed_partitions: metric({ kind: 'gauge', help: 'Partitions of the feed.' }),
  wda_deliveries_pending: metric({
    kind: 'gauge',
    help: 'Deliveries that wait or are on their way; at most 10000 are counted.',
  }),
  wda_deliveries_oldest_due_age_seconds: metric({
    kind: 'gauge',
    help: 'How long the oldest delivery that nobody sends has been due; 0 without any.',
  }),
  wda_subscriptions: metric({
    kind: 'gauge',
    help: 'Webhook subscriptions: active, failing (the last delivery failed for good) or paused.',
    labels: ['state'],
  }),
  wda_build_info: metric({
    kind: 'gauge',
    help: 'Always 1: which version runs on what.',
    labels: ['version', 'runtime'],
  }),
  process_cpu_seconds_total: metric({ kind: 'counter', help: 'Processor time, of all threads.' }),
  process_resident_memory_bytes: metric({ kind: 'gauge', help: 'Memory in use.' }),
  process_start_time_seconds: metric({
    kind: 'gauge',
    help: 'When the process started, Unix time.',
  }),
}

export type MetricName = keyof typeof catalog

export const metricNames = Object.keys(catalog) as MetricName[]
