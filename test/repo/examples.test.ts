// What a page offers to copy has the form that its reader takes. Requests, programs and statements run elsewhere:
// test/process/curl_examples, quick_starts, feed/copy, repo/sql_readme, process/receivers.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { blocks, filesIn, read } from './sources.ts'

test.each(blocks('json'))('the JSON of $path', ({ text }) => {
  expect(() => JSON.parse(text)).not.toThrow()
})

test.each(blocks('sh'))('the shell of $path', async ({ text }) => {
  const child = Bun.spawn(['bash', '-n'], { stdin: new Blob([text]), stderr: 'pipe' })
  expect(await new Response(child.stderr).text()).toBe('')
})

// Of Mermaid the form is held that breaks most often: a known kind of picture, and brackets that end.
test.each(blocks('mermaid'))('the picture of $path', ({ text }) => {
  expect(text).toMatch(/^(flowchart LR|sequenceDiagram|stateDiagram-v2)\n/)
  const count = (mark: string) => text.split(mark).length - 1
  expect([count('['), count('('), count('"') % 2]).toEqual([count(']'), count(')'), 0])
})

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

test('every script that a page or a workflow runs exists', () => {
  const texts = [...blocks('sh'), ...filesIn('.github/workflows', '.yml')]
  const named = texts.flatMap(({ text }) => [...text.matchAll(/\bbun run ([a-z][\w:]*)/g)])
  expect(named.length).toBeGreaterThan(5)
  expect(named.map(match => match[1] ?? '').filter(name => !(name in scripts))).toEqual([])
})

type Rule = { alert: string; for?: string; labels: { severity: string } }

test('the alert rules have the form that Prometheus reads, and a row each in the guide', () => {
  const { groups } = Bun.YAML.parse(read('docs/operations/alerts.yml')) as {
    groups: { rules: Rule[] }[]
  }
  const rules = groups.flatMap(group => group.rules)
  const rows = [
    ...read('docs/operations/monitoring.md').matchAll(/^\| `([A-Z]\w+)` \| `(\w+)` \|/gm),
  ]
  expect(rows.map(([, alert, severity]) => `${alert} ${severity}`)).toEqual(
    rules.map(({ alert, labels }) => `${alert} ${labels.severity}`),
  )
  for (const { for: duration = '1m' } of rules) expect(duration).toMatch(/^\d+m$/)
})

type Workflow = { jobs: Record<string, { steps?: { uses?: string }[] }> }

test.each(filesIn('.github/workflows', '.yml'))('$path uses actions at a version', ({ text }) => {
  const { jobs } = Bun.YAML.parse(text) as Workflow
  const used = Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.flatMap(({ uses }) => uses ?? []),
  )
  expect(used.filter(name => !/^[\w-]+\/[\w/-]+@v[\d.]+$/.test(name))).toEqual([])
})

const nginx = Bun.which('nginx')

test.skipIf(nginx === null)(
  'nginx takes its example (skipped where there is no nginx)',
  async () => {
    const dir = makeDataDir('proxy')
    const pair = await generate([{ name: 'commonName', value: 'workspace.example.org' }])
    writeFileSync(join(dir, 'proxy.pem'), pair.cert)
    writeFileSync(join(dir, 'proxy.key'), pair.private)
    const servers = blocks('nginx')
      .map(({ text }) => text.replaceAll('/etc/ssl/workspace', join(dir, 'proxy')))
      .join('\n')
      .replaceAll('listen 443', `listen unix:${join(dir, 'proxy.sock')}`)
      .replaceAll('/var/log/nginx', dir)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map(name => `${name}_temp_path ${dir}/${name};\n`)
      .join('')
    const main = `error_log stderr;\npid ${dir}/nginx.pid;\nevents {}\nhttp {\n${temporary}${servers}}\n`
    writeFileSync(join(dir, 'nginx.conf'), main)
    const child = Bun.spawn(['nginx', '-t', '-p', dir, '-c', join(dir, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const printed = await new Response(child.stderr).text()
    const code = await child.exited
    removeDataDir(dir)
    expect([code, code === 0 ? '' : printed]).toEqual([0, ''])
  },
)
