// What is shipped in deploy/ fits the tree: settings, the Dockerfile, the guide's table of alerts. generated.test.ts has its metrics;
// the proxies run in test/process/proxy.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEnv } from '../../bench/processes.ts'
import { readConfig, settingNames } from '../../src/config/settings.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { filesIn, read } from './sources.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents of other programs
type Document = any
const documentsIn = (text: string): Document[] => [Bun.YAML.parse(text)].flat()
const yaml = [...filesIn('deploy', '.yaml'), ...filesIn('deploy', '.yml')]
const [compose] = documentsIn(read('deploy/compose.yaml'))
const manifests = filesIn('deploy/kubernetes', '.yaml').flatMap(({ text }) => documentsIn(text))
const unit = read('deploy/workspace-data-api@.service')
const [pod] = manifests
  .filter(({ kind }) => kind === 'Deployment')
  .map(one => one.spec.template.spec)
const [container] = pod.containers
const services = Object.values<Document>(compose.services).filter(one => 'build' in one)
const dockerfile = read('Dockerfile')

test('every document is one, and each manifest has a kind and stands in the namespace', () => {
  expect(yaml).toHaveLength(6)
  for (const { text } of yaml) for (const one of documentsIn(text)) expect(one).toBeObject()
  for (const { kind, metadata } of manifests)
    expect([kind, metadata.namespace ?? metadata.name]).toEqual([expect.any(String), 'workspaces'])
})

test('every alert has a row in the guide, and a form that Prometheus reads', () => {
  const [{ groups }] = documentsIn(read('deploy/alerts.yml'))
  const rules: Document[] = groups.flatMap((group: Document) => group.rules)
  const rows = read('docs/operations/monitoring.md').matchAll(/^\| `([A-Z]\w+)` \| `(\w+)` \|/gm)
  expect([...rows].map(([, alert, severity]) => `${alert} ${severity}`)).toEqual(
    rules.map(({ alert, labels }) => `${alert} ${labels.severity}`),
  )
  for (const { for: duration = '1m' } of rules) expect(duration).toMatch(/^\d+m$/)
})

test('every variable is a setting, and its value one that the service takes', () => {
  const given: [string, string][] = [
    ...services.flatMap(({ environment }) => Object.entries<string>(environment)),
    ...container.env.map(({ name, value = '' }: Document) => [name, value]),
    ...[...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  ]
  const parts = [...Object.keys(startEnv), 'DATABASE_USER', 'DATABASE_PASSWORD']
  const own = given.filter(([name]) => !parts.includes(name))
  expect(own.length).toBeGreaterThan(20)
  expect(own.map(([name]) => name).filter(name => !settingNames.includes(name as never))).toEqual(
    [],
  )
  const values = own.filter(([, value]) => !/\$|%|\/etc\//.test(value))
  for (const [name, value] of values)
    expect(() => readConfig({ [name]: String(value) })).not.toThrow()
  expect(unit).toContain(Object.entries(startEnv).map(pair => pair.join('='))[0] ?? '-')
})

test('image, program, user and port are those of the Dockerfile, and the probes ask what is served', () => {
  const [, program] = /^ENTRYPOINT \["(.*)"\]$/m.exec(dockerfile) ?? []
  const [, user] = /^USER (\d+):/m.exec(dockerfile) ?? []
  const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? []
  expect(unit).toContain(`\nExecStart=${program} serve\n`)
  expect(pod.securityContext).toMatchObject({ runAsUser: Number(user), runAsNonRoot: true })
  expect(container.ports[0]).toEqual({ name: 'http', containerPort: Number(port) })
  expect(compose.services.caddy.environment.UPSTREAMS).toBe(`api-1:${port} api-2:${port}`)
  expect(new Set([container.image, ...services.map(({ image }) => image)])).toEqual(
    new Set(['workspace-data-api']),
  )
  expect(read('docs/operations/running.md')).toContain('docker build -t workspace-data-api .')
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map(name => container[name])
  expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/healthz', '/readyz', '/healthz'])
  for (const file of ['Caddyfile', 'nginx.conf'])
    expect(read(`deploy/${file}`)).toContain(`127.0.0.1:${port}`)
})

const systemd = Bun.which('systemd-analyze')
const left = systemd === null ? ': left out, because there is no systemd-analyze' : ''

test.skipIf(systemd === null)(`systemd takes the unit${left}`, () => {
  const dir = makeDataDir('unit')
  const file = join(dir, 'workspace-data-api@example.service')
  // The program is not installed here.
  writeFileSync(file, unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`))
  const { exitCode, stderr } = Bun.spawnSync([systemd ?? '', 'verify', file], { stderr: 'pipe' })
  removeDataDir(dir)
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
})
