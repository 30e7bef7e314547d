// docs/operations/monitoring.md has every line that the service logs, as it is written, and every place of a fault.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Log } from '../../src/observability/log.ts'
import { read, root, sources } from './sources.ts'

type Methods = Omit<Log, 'flush'>
type Samples = { [Name in keyof Methods]: Parameters<Methods[Name]> }

// The compiler asks for a sample of a line that is added.
const samples: Samples = {
  leading: [7],
  request: [
    {
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
  ],
  attempt: [
    {
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
  ],
  notice: [{ notice_id: 'n', subscription_id: null, status: 250, error_class: null }],
  hookPaused: ['s'],
  // Sent as its members: an error does not survive JSON.
  fault: ['request', null, 'r'],
  databaseAway: ['it does not answer', 1],
  workerLost: ['it ended'],
  feedStuck: [],
  feedAdvanced: [1],
  started: [{ roles: ['api'], port: 1, metrics_port: 2 }],
  stopping: ['SIGTERM'],
  stopped: [],
  sqlOverridden: [['leads/get_lead']],
  pruned: [1, 1],
  settingsLost: ['api', ['plan_cache_mode']],
  proxyUntrusted: ['x-forwarded-for'],
  originUnknown: [],
  listenerLost: ['api', 'the connection ended'],
  listenerEstablished: ['api'],
  replicaAway: ['it does not answer'],
  replicaBack: [],
}

const program = `
  import { openLog } from ${JSON.stringify(join(root, 'src/observability/log.ts'))}
  const log = openLog('debug')
  const failure = Object.assign(new Error('it failed'), { code: '57P01' })
  for (const [name, args] of Object.entries(${JSON.stringify(samples)}))
    log[name](...(name === 'fault' ? [args[0], failure, args[2]] : args))
  log.fault('delivery', failure, { subscription_id: 's', cursor: 1 })
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
  expect(rows.length).toBeGreaterThan(Object.keys(samples).length)
  expect(rows.filter(cells => cells.length !== 5 || cells.some(cell => cell === ''))).toEqual([])
})

test('the table of faults has every place that reports one', () => {
  const texts = sources.map(({ text }) => text).join('\n')
  const places = [
    ...texts.matchAll(/\.fault\(\s*'([^']+)'/g),
    ...texts.matchAll(/recordEvery\([^')]*'([^']+)'/g),
  ].map(match => match[1] ?? '')
  const documented = rowsOf('where').map(([place = '']) => place.replaceAll('`', ''))
  expect(documented.toSorted()).toEqual([...new Set(places)].toSorted())
})

test('no place hands on a name that the table cannot know', () => {
  const others = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\.fault\(\s*([^'\s][^,)]*)/g)].map(match => `${path}: ${match[1]}`),
  )
  expect(others).toEqual([
    'src/api/recording.ts: what',
    'src/observability/metrics/part.ts: ...details',
    'src/observability/recent_errors.ts: where',
  ])
})
