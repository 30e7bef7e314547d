// The README tells what is true: its tables are those of the program.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../src/commands/commands.ts'
import { errorCodes } from '../../src/errors.ts'
import { tools } from '../../src/mcp/tools.ts'
import { metricNames } from '../../src/metrics/catalog.ts'
import { routes } from '../../src/rest/routes.ts'
import { withConfigTable } from '../support/config_table.ts'
import { withMetricsTable } from '../support/metrics_table.ts'

const root = join(import.meta.dir, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

test('the configuration table is that of the program (bun run readme writes it)', () => {
  expect(readme).toBe(withConfigTable(readme))
})

test('the table of metrics is that of the program (bun run readme writes it)', () => {
  expect(readme).toContain('| `wda_worker_up` | gauge |')
  expect(readme).toBe(withMetricsTable(readme))
})

const yaml = [...readme.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) =>
  Bun.YAML.parse(text ?? ''),
) as Record<string, unknown>[]

test('the scrape configuration and the alert rules have the form that Prometheus reads', () => {
  expect(yaml.map(one => Object.keys(one))).toEqual([['scrape_configs'], ['groups']])
  const [scrape, rules] = yaml as unknown as [
    { scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[] },
    { groups: { name: string; rules: { alert: string; expr: string; for?: string }[] }[] },
  ]
  expect(scrape.scrape_configs[0]?.static_configs[0]?.targets).toHaveLength(1)
  const alerts = rules.groups.flatMap(group => group.rules)
  expect(alerts).toHaveLength(5)
  for (const { alert, expr, for: duration = '1m' } of alerts) {
    expect(alert).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(expr).toMatch(/wda_/)
    expect(duration).toMatch(/^\d+m$/)
  }
})

test('every metric that the README names exists', () => {
  const samples = metricNames.flatMap(name =>
    ['', '_bucket', '_count', '_sum'].map(suffix => name + suffix),
  )
  const named = [...readme.matchAll(/\bwda_[a-z_]+[a-z](?!…)\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(metricNames.length)
  expect(named.filter(name => !samples.includes(name))).toEqual([])
})

test('every route and its scope stand in the README', () => {
  for (const { path, scope } of routes) expect(readme).toContain(`| \`${path}\` | \`${scope}\` |`)
})

test('every tool, its scope and its arguments stand in the README', () => {
  for (const { name, scope, takes } of tools) {
    const named = Object.keys(takes).map(argument => `\`${argument}\``)
    expect(readme).toContain(`| \`${name}\` | \`${scope}\` | ${named.join(', ')} |`)
  }
})

test('every command stands in the README', () => {
  const section = readme.split('\n## Commands\n')[1]?.split('\n## ')[0] ?? ''
  const named = [...section.matchAll(/`([a-z]+)[ `]/g)].map(match => match[1])
  const words = Object.keys(commands).filter(name => !name.startsWith('-'))
  expect(words.filter(name => !named.includes(name))).toEqual([])
})

test('every error code stands in the README', () => {
  for (const code of errorCodes) expect(readme).toContain(`\`${code}\``)
})

test('every file and folder the README points to exists', () => {
  const named = [...readme.matchAll(/`((?:src|sql|test|workers)\/[\w./-]*)`/g)].map(
    match => match[1],
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter(path => !existsSync(join(root, path ?? '')))).toEqual([])
})
