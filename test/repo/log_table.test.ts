// docs/operations/monitoring.md has every line that the service logs, as it is written, and every place of a fault.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { LogEvents } from '../../src/observability/log.ts'
import { read, root, sources } from './sources.ts'

const fault = { where: 'x', error: 'Error', code: '57P01', message: 'it failed', stack: ['at x'] }

// The compiler asks for a sample of an event that is added. All members that an event may have.
const samples: { [Name in keyof LogEvents]: Required<LogEvents[Name]> } = {
  request: {
    request_id: 'r',
    method: 'GET',
    route: '/leads',
    status: 500,
    code: 'internal_error',
    trace_id: 't',
    key_id: 'k',
    tool: 'list_leads',
    duration_ms: 1,
  },
  attempt: {
    subscription_id: 's',
    cursor: 1,
    event_id: 'e',
    attempt: 1,
    outcome: 'delivered',
    status: 200,
    error_class: 'status',
    duration_ms: 1,
    receipt_ms: 1,
    trace_id: 't',
    span_id: 'p',
  },
  attempts: { delivered: 1, retry: 0, failed: 0, duration_ms_max: 1 },
  notice: { notice_id: 'n', subscription_id: null, status: 250, error_class: null },
  hook_paused: { subscription_id: 's' },
  leading: { fence: 1 },
  started: { roles: ['api'], port: 1, metrics_port: 2 },
  stopping: { signal: 'SIGTERM' },
  stopped: {},
  database_away: { reason: 'it does not answer', retry_ms: 1 },
  listener_lost: { part: 'api', reason: 'the connection ended' },
  listener_established: { part: 'api' },
  replica_away: { reason: 'it does not answer' },
  replica_back: {},
  sql_overridden: { paths: ['leads/get_lead'] },
  proxy_untrusted: { header: 'x-forwarded-for' },
  origin_unknown: {},
  pruned: { events: 1, horizon: 1 },
  feed_stuck: {},
  feed_advanced: { head: 1 },
  worker_lost: { reason: 'it ended' },
  fault: { ...fault, request_id: 'r', subscription_id: 's', cursor: 1 },
}

const program = `
  import { openLog } from ${JSON.stringify(join(root, 'src/observability/log.ts'))}
  const log = openLog('debug')
  for (const [name, fields] of Object.entries(${JSON.stringify(samples)})) log.event(name, fields)
  await log.flush()`

type Line = { event: string; level: string; members: string[] }

async function writtenLines(): Promise<Line[]> {
  const child = Bun.spawn([process.execPath, '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const text = await new Response(child.stdout).text()
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const { time, level, event, ...members } = JSON.parse(line)
      expect(new Date(time).getTime()).toBeGreaterThan(0)
      return { event, level, members: Object.keys(members) }
    })
}

/** One line of each kind, with the members that any of that kind has. */
const merged = (lines: Line[]): Line[] =>
  [...Map.groupBy(lines, ({ event, level }) => `${event} ${level}`).values()].map(same => ({
    ...(same[0] as Line),
    members: [...new Set(same.flatMap(({ members }) => members))].sort(),
  }))

const page = read('docs/operations/monitoring.md')

/** The cells of the rows of the table whose head begins with a word. */
function rowsOf(head: string): string[][] {
  const table = page.slice(page.indexOf(`| \`${head}\` |`)).split('\n\n')[0] ?? ''
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map(row => row.split('|').slice(1, -1))
    .map(cells => cells.map(cell => cell.trim()))
}

const named = (cell = '') => [...cell.matchAll(/`([a-z_]+)`/g)].map(match => match[1] ?? '')

const byEvent = (one: Line, other: Line) => (one.event < other.event ? -1 : 1)

test('the table of log lines has every line, its level and its members', async () => {
  const documented = rowsOf('event').map(([event, level, members]) => ({
    event: named(event)[0] ?? '',
    level: named(level)[0] ?? '',
    members: named(members).sort(),
  }))
  expect(documented.toSorted(byEvent)).toEqual(merged(await writtenLines()).toSorted(byEvent))
})

test('every row says when, and what to do', () => {
  const rows = rowsOf('event')
  expect(rows.length).toBe(Object.keys(samples).length)
  expect(rows.filter(cells => cells.length !== 5 || cells.some(cell => cell === ''))).toEqual([])
})

test('the table of faults has every place that reports one', () => {
  const texts = sources.map(({ text }) => text).join('\n')
  const places = [
    ...texts.matchAll(/\.fault\(\s*'([^']+)'/g),
    ...texts.matchAll(/(?:recordEvery|clientError)\([^')]*'([^']+)'/g),
    ['', 'request'],
  ].map(match => match[1] ?? '')
  const documented = rowsOf('where').map(([place = '']) => place.replaceAll('`', ''))
  expect(documented.toSorted()).toEqual([...new Set(places)].toSorted())
})

test('no place hands on a name that the table cannot know', () => {
  const others = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\.fault\(\s*([^'\s][^,)]*)/g)].map(match => `${path}: ${match[1]}`),
  )
  expect(others).toEqual(['src/api/http/client_error.ts: where', 'src/api/recording.ts: what'])
})
