// The documentation says what is true: its tables are those of the program.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodes, errorStatus } from '../../src/errors.ts'
import type { ErrorClass } from '../../src/sending/sender.ts'
import { withConfigTable } from '../support/repo/config_table.ts'
import { allMetrics, withMetricsTable } from '../support/repo/metrics_table.ts'
import {
  withCommandsTable,
  withRoutesTable,
  withToolsTable,
} from '../support/repo/operation_tables.ts'
import { filesIn, read, root } from './sources.ts'

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'sql/README.md'].map(path => ({
    path,
    text: read(path),
  })),
  ...filesIn('docs', '.md'),
]
const all = pages.map(({ text }) => text).join('\n')

test('the table of settings is that of the program (bun run readme writes it)', () => {
  const page = read('docs/reference/configuration.md')
  expect(page).toContain('| `LOG_LEVEL` | `info` |')
  expect(page).toBe(withConfigTable(page))
})

test('the table of metrics is that of the program (bun run readme writes it)', async () => {
  const page = read('docs/reference/metrics.md')
  expect(page).toContain('| `wda_worker_up` | gauge |')
  expect(page).toBe(await withMetricsTable(page))
})

test('every metric that the documentation and the alert rules name exists', async () => {
  const metricNames = (await allMetrics()).map(({ name }) => name)
  const samples = metricNames.flatMap(name =>
    ['', '_bucket', '_count', '_sum'].map(suffix => name + suffix),
  )
  const text = all + read('docs/operations/alerts.yml')
  const named = [...text.matchAll(/\bwda_[a-z_]+[a-z](?!…)\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(metricNames.length)
  expect(named.filter(name => !samples.includes(name))).toEqual([])
})

test('the table of routes is that of the program (bun run readme writes it)', () => {
  const page = read('docs/guides/rest.md')
  expect(page).toContain('| GET | `/leads` | `read:leads` |')
  expect(page).toBe(withRoutesTable(page))
})

test('the table of tools is that of the program (bun run readme writes it)', () => {
  const page = read('docs/guides/tools.md')
  expect(page).toContain('| `search_leads` | `read:leads` | `query`, `limit` |')
  expect(page).toBe(withToolsTable(page))
})

test('the table of commands is that of the program (bun run readme writes it)', () => {
  const page = read('docs/reference/commands.md')
  expect(page).toContain('| `hooks test ID [--type T]` |')
  expect(page).toBe(withCommandsTable(page))
})

test('every error code stands in the reference of errors, with its status', () => {
  const page = read('docs/reference/errors.md')
  for (const code of errorCodes) expect(page).toContain(`\n| ${errorStatus[code]} | \`${code}\` |`)
})

const errorClasses = {
  dns: true,
  connect: true,
  tls: true,
  timeout: true,
  blocked: true,
  status: true,
} satisfies Record<ErrorClass, true>

test('every error class of deliveries stands in the guide of webhooks', () => {
  const [, table = ''] = read('docs/guides/webhooks.md').split('\n### Error classes\n')
  for (const name of Object.keys(errorClasses)) expect(table).toContain(`\n| \`${name}\` |`)
})

// The first release writes it.
const later = ['sql/migrations/released.sha256']

test('every file and folder that a page points to exists', () => {
  const form = /`((?:src|sql|test|workers|scripts|docs|patches)\/[\w./@-]*)`/g
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(form)].map(match => ({ path, file: match[1] ?? '' })),
  )
  expect(named.length).toBeGreaterThan(100)
  // A query may be named by its path without the ending, as the log names it, a migration by its number.
  const exists = (file: string) =>
    existsSync(join(root, file)) || [...new Bun.Glob(`${file}*.sql`).scanSync(root)].length > 0
  expect(named.filter(({ file }) => !exists(file) && !later.includes(file))).toEqual([])
})

test('no page is longer than 250 lines', () => {
  const long = pages
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ path, lines }) => lines > 250 && path !== 'sql/README.md')
  expect(long).toEqual([])
})
