// Every metric there is: its name, kind, meaning and labels. What is counted is typed by this list, and the table of
// docs/reference/metrics.md is made from it. No label names a person, a key, a URL or a subscription.
import { finalFailuresMax } from '../../model/delivery_rules.ts'

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

export const metricCatalog = {
  wda_http_request_duration_seconds: metric({
    kind: 'histogram',
    help: 'Duration of requests, by route pattern; "-" is no route. Health checks and assets are not counted.',
    labels: ['method', 'route', 'status'],
    bounds: requestBounds,
  }),
  wda_http_errors_total: metric({
    kind: 'counter',
    help: 'Requests and tool calls that failed, by error code: missing_token and invalid_token are failed authentications.',
    labels: ['code'],
  }),
  wda_http_rate_limited_total: metric({
    kind: 'counter',
    help: 'Requests refused as rate_limited: over the limit of a key, or from an address that failed to authenticate too often.',
    labels: ['by'],
  }),
  wda_tool_calls_total: metric({
    kind: 'counter',
    help: 'Tool calls, by tool and outcome.',
    labels: ['tool', 'outcome'],
  }),
  wda_faults_total: metric({
    kind: 'counter',
    help: 'Internal faults; the log has each with its stack.',
    labels: ['part'],
  }),
  wda_listener_up: metric({
    kind: 'gauge',
    help: '1 while LISTEN is established. At 0 the service falls back to polling, with higher latency.',
    labels: ['part'],
  }),
  wda_database_statements_total: metric({
    kind: 'counter',
    help: 'Statements sent to the database.',
    labels: ['part'],
  }),
  wda_database_statements_in_flight: metric({
    kind: 'gauge',
    help: 'Statements that run or wait for a connection. The api part has at most twice DATABASE_POOL_MAX connections, and one for keys and permits. What waits for its key is not counted.',
    labels: ['part'],
  }),
  wda_worker_up: metric({ kind: 'gauge', help: '1 while the worker thread runs and responds.' }),
  wda_worker_restarts_total: metric({
    kind: 'counter',
    help: 'Unexpected ends of the worker thread, each followed by a restart.',
  }),
  wda_delivery_attempts_total: metric({
    kind: 'counter',
    help: 'Delivery attempts by outcome (delivered, retry: tried again later, failed: final) and by the class of the error.',
    labels: ['outcome', 'error_class'],
  }),
  wda_delivery_attempt_duration_seconds: metric({
    kind: 'histogram',
    help: 'Duration of delivery attempts, from name resolution to the end of the response.',
    bounds: attemptBounds,
  }),
  wda_delivery_receipt_seconds: metric({
    kind: 'histogram',
    help: "Time from a change to the receiver's 2xx, including the feed, retries and pauses. Test events are not counted.",
    bounds: receiptBounds,
  }),
  wda_hooks_paused_total: metric({
    kind: 'counter',
    help: `Subscriptions that were paused after ${finalFailuresMax} final failures in a row.`,
  }),
  wda_owner_notices_total: metric({
    kind: 'counter',
    help: 'Attempts to notify the owner of a failing webhook by e-mail, by outcome.',
    labels: ['outcome'],
  }),
  wda_database_up: metric({
    kind: 'gauge',
    help: '1 if the database answered this scrape; at 0 the metrics of the workspace are missing.',
  }),
  wda_unsequenced_events: metric({
    kind: 'gauge',
    help: 'Events without a cursor yet, counted up to 10000.',
  }),
  wda_unsequenced_oldest_age_seconds: metric({
    kind: 'gauge',
    help: 'Age of the oldest event without a cursor; 0 if there is none.',
  }),
  wda_feed_head: metric({ kind: 'gauge', help: 'Cursor of the newest event in the feed.' }),
  wda_feed_head_age_seconds: metric({
    kind: 'gauge',
    help: 'Age of the newest event in the feed.',
  }),
  wda_feed_horizon: metric({ kind: 'gauge', help: 'Highest cursor that has expired.' }),
  wda_deliveries_pending: metric({
    kind: 'gauge',
    help: 'Deliveries that wait for their turn, for their next attempt, are in flight, or ended within the last second, counted up to 10000. Those of paused subscriptions wait for no turn.',
  }),
  wda_deliveries_failed: metric({
    kind: 'gauge',
    help: 'Deliveries that failed for good and were neither sent again nor dismissed, counted up to 10000.',
  }),
  wda_deliveries_oldest_due_age_seconds: metric({
    kind: 'gauge',
    help: 'How long the oldest retry has been due, including those in flight: shows a receiver that does not answer. 0 if there is none.',
  }),
  wda_leader: metric({
    kind: 'gauge',
    help: '1 while a process with the role worker leads: it sequences, delivers and prunes. At 0 nothing is delivered.',
  }),
  wda_subscriptions: metric({
    kind: 'gauge',
    help: 'Webhook subscriptions by state: active, failing (the last delivery was a final failure) or paused.',
    labels: ['state'],
  }),
  wda_build_info: metric({
    kind: 'gauge',
    help: 'Always 1; the labels have the version and the runtime.',
    labels: ['version', 'runtime'],
  }),
  process_cpu_seconds_total: metric({
    kind: 'counter',
    help: 'User and system CPU time of all threads, in seconds.',
  }),
  process_resident_memory_bytes: metric({ kind: 'gauge', help: 'Resident memory, in bytes.' }),
  process_start_time_seconds: metric({
    kind: 'gauge',
    help: 'Start time of the process, in seconds since the Unix epoch.',
  }),
}

export type MetricName = keyof typeof metricCatalog

export const metricNames = Object.keys(metricCatalog) as MetricName[]
