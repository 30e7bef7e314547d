// What the documentation offers to copy has the form that its reader takes: YAML, JSON, shell, workflows.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { filesIn, read, root } from './sources.ts'

const exists = (path: string) => existsSync(join(root, path))

const pages = [...filesIn('docs', '.md'), { path: 'README.md', text: read('README.md') }]
const blocks = (language: string) =>
  pages.flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(match => ({
      path,
      text: match[1] ?? '',
    })),
  )

// Every other language has a test of its own, which runs what is written.
const languages = [
  ...['sh', 'sql', 'psql', 'json', 'ts', 'python', 'go', 'java', 'csharp'],
  ...['nginx', 'caddy', 'ini', 'mermaid', 'text', ''],
]

test('every block of code is in a language that is tested', () => {
  const found = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^```(\w*)\n[\s\S]*?^```$/gm)].map(match => [path, match[1] ?? '']),
  )
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(([, language = '']) => !languages.includes(language))).toEqual([])
})

test.each(blocks('json'))('the JSON of $path', ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow()
})

test.each(blocks('sh'))('the shell of $path is read by a shell', async ({ text }) => {
  const child = Bun.spawn(['bash', '-n'], { stdin: new Blob([text]), stderr: 'pipe' })
  expect(await new Response(child.stderr).text()).toBe('')
})

test('the TypeScript of every page is read by a parser', () => {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  for (const { text } of blocks('ts')) expect(() => transpiler.transformSync(text)).not.toThrow()
})

test.skipIf(Bun.which('python3') === null)('so is the Python, where there is one', async () => {
  for (const { path, text } of blocks('python')) {
    const child = Bun.spawn(['python3', '-c', 'import ast, sys; ast.parse(sys.stdin.read())'], {
      stdin: new Blob([text]),
      stderr: 'pipe',
    })
    expect([path, await new Response(child.stderr).text()]).toEqual([path, ''])
  }
})

// Of Mermaid the form is held that breaks most often: a known kind of picture, and names that are declared.
test.each(blocks('mermaid'))('the picture of $path', ({ text }) => {
  expect(text).toMatch(/^(flowchart LR|sequenceDiagram|stateDiagram-v2)\n/)
  // It ends a statement wherever it stands.
  expect(text).not.toContain(';')
  const count = (mark: string) => text.split(mark).length - 1
  expect([count('['), count('('), count('"') % 2]).toEqual([count(']'), count(')'), 0])
  for (const line of text
    .split('\n')
    .filter(line => line.includes('-->') && !/^\s*\w+-->>/.test(line)))
    expect(line).toMatch(/^ {2}\S/)
})

type Rule = { alert: string; expr: string; for?: string; labels: { severity: string } }

test('the scrape configuration and the alert rules have the form that Prometheus reads', () => {
  const scrape = Bun.YAML.parse(read('docs/operations/prometheus.yml')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[]
  }
  const rules = Bun.YAML.parse(read('docs/operations/alerts.yml')) as {
    groups: { name: string; rules: Rule[] }[]
  }
  expect(scrape.scrape_configs[0]?.static_configs[0]?.targets).toHaveLength(1)
  const alerts = rules.groups.flatMap(group => group.rules)
  const page = read('docs/operations/monitoring.md')
  const named = [...page.matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(match => match[1] ?? '')
  expect(named).toEqual(alerts.map(({ alert }) => alert))
  for (const { alert, expr, for: duration = '1m', labels } of alerts) {
    expect(alert).toMatch(/^[A-Z][A-Za-z]+$/)
    expect(expr).toMatch(/wda_/)
    expect(duration).toMatch(/^\d+m$/)
    expect(page).toContain(`| \`${alert}\` | \`${labels.severity}\` |`)
    expect(['critical', 'warning']).toContain(labels.severity)
  }
})

// Each of these rises where subscriptions receive nothing, or the feed grows, and the others stay as they are.
test.each([
  ['no process leads', 'wda_leader', 2],
  ['a worker cannot sign, or a receiver hangs', 'wda_deliveries_oldest_due_age_seconds', 5],
  ['faults come every minute', 'wda_faults_total{part="worker"}[10m]', 15],
  ['faults come once an hour', 'wda_faults_total{part="worker"}[70m]', 180],
])('one rule, and no other, looks whether %s: at %s, for %d minutes', (_when, series, minutes) => {
  const { groups } = Bun.YAML.parse(read('docs/operations/alerts.yml')) as {
    groups: { rules: Rule[] }[]
  }
  const rules = groups.flatMap(group => group.rules).filter(({ expr }) => expr.includes(series))
  expect(rules.map(rule => rule.for)).toEqual([`${minutes}m`])
})

type Step = { uses?: string; run?: string }
type Workflow = { jobs: Record<string, { steps: Step[]; strategy?: { matrix: object } }> }

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

describe.each(filesIn('.github/workflows', '.yml'))('$path', ({ text }) => {
  const { jobs } = Bun.YAML.parse(text) as Workflow
  const steps = Object.values(jobs).flatMap(job => job.steps)

  test('runs scripts that there are', () => {
    const commands = steps.flatMap(({ run }) => run ?? [])
    expect(commands.length).toBeGreaterThan(2)
    const named = commands.flatMap(command => [...command.matchAll(/\bbun run ([\w:]+)/g)])
    expect(named.map(match => match[1] ?? '').filter(name => !(name in scripts))).toEqual([])
    const files = commands.flatMap(command => [
      ...command.matchAll(/(?<![\w/])((?:\.ci|test|scripts)\/[\w./]+)/g),
    ])
    expect(files.map(match => match[1] ?? '').filter(path => !exists(path))).toEqual([])
  })

  test('uses actions of the host alone, each at a version', () => {
    const used = steps.flatMap(({ uses }) => uses ?? [])
    expect(used.filter(name => !/^actions\/[\w-]+@v\d+$/.test(name))).toEqual([])
  })
})

test('the workflow runs on every PostgreSQL that is supported', () => {
  const { jobs } = Bun.YAML.parse(read('.github/workflows/ci.yml')) as Workflow
  expect(jobs.postgres?.strategy?.matrix).toEqual({ version: [15, 16, 17, 18] })
  expect(jobs.all?.steps.map(({ run }) => run)).toContain('.ci/run')
})

test.each(filesIn('.github/ISSUE_TEMPLATE', '.yml'))('$path is a form', ({ text }) => {
  const form = Bun.YAML.parse(text) as { body?: { id: string }[]; blank_issues_enabled?: boolean }
  if (form.blank_issues_enabled !== undefined) return
  const ids = (form.body ?? []).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(1)
  expect(ids).toEqual([...new Set(ids)])
})
