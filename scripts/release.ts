// Makes a release: version in package.json, section in CHANGELOG.md, commit and tag. Pushes nothing.
// bun run release 0.2.0 | patch | minor | major [--dry-run]
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const versionForm = /^(\d+)\.(\d+)\.(\d+)$/

const numbersOf = (version: string): [number, number, number] => {
  const match = versionForm.exec(version)
  if (!match) throw new Error(`A version is three numbers, such as 0.2.0, not ${version}.`)
  return [Number(match[1]), Number(match[2]), Number(match[3])]
}

const isAtLeast = (version: string, other: string): boolean => {
  const [a, b] = [numbersOf(version), numbersOf(other)]
  const place = a.findIndex((part, index) => part !== b[index])
  return place === -1 || (a[place] ?? 0) > (b[place] ?? 0)
}

/** The version that `wanted` names: a number, or which part of the current one goes up. */
export function nextVersion(current: string, wanted: string): string {
  const [major, minor, patch] = numbersOf(current)
  if (wanted === 'major') return `${major + 1}.0.0`
  if (wanted === 'minor') return `${major}.${minor + 1}.0`
  if (wanted === 'patch') return `${major}.${minor}.${patch + 1}`
  numbersOf(wanted)
  // The current one itself is released once: the first time.
  if (!isAtLeast(wanted, current)) throw new Error(`${wanted} is older than ${current}.`)
  return wanted
}

const unreleased = '## Unreleased\n'

/** The changelog with the unreleased entries under the version and its date, and an empty section to go on with. */
export function releasedChangelog(text: string, version: string, date: string): string {
  // A first version may have been described before it is released: its features go first.
  const described = `## ${version}, not released\n`
  const [before = '', ...sections] = text.split(/^(?=## )/m)
  const bodyOf = (heading: string) =>
    sections.find(section => section.startsWith(heading))?.slice(heading.length) ?? ''
  const entries = bodyOf(unreleased)
  if (!/^- /m.test(entries)) throw new Error('CHANGELOG.md has no entries below "## Unreleased".')
  if (bodyOf(`## ${version}, 2`) !== '') throw new Error(`CHANGELOG.md has ${version} already.`)
  const older = sections.filter(
    section => !section.startsWith(unreleased) && !section.startsWith(described),
  )
  const body = `${bodyOf(described).trimEnd()}\n${entries}`.trim()
  return [
    before,
    unreleased,
    `\n## ${version}, ${date}\n\n${body}\n`,
    ...older.map(one => `\n${one.trim()}\n`),
  ].join('')
}

const run = (...command: string[]): string => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString().trim()}`)
  return stdout.toString().trim()
}

type Manifest = { version: string; scripts?: Record<string, string> }

function release(wanted: string, isDry: boolean): string {
  if (run('git', 'status', '--porcelain') !== '')
    throw new Error('There are changes that are not committed.')
  const root = run('git', 'rev-parse', '--show-toplevel')
  const [manifest, changelog] = [join(root, 'package.json'), join(root, 'CHANGELOG.md')]
  const text = readFileSync(manifest, 'utf8')
  const { version: current, scripts = {} } = JSON.parse(text) as Manifest
  const version = nextVersion(current, wanted)
  if (run('git', 'tag', '--list', `v${version}`) !== '')
    throw new Error(`The tag v${version} exists already.`)
  const today = new Date().toISOString().slice(0, 10)
  const released = releasedChangelog(readFileSync(changelog, 'utf8'), version, today)
  if (isDry) return `would release ${version}; nothing is changed`
  writeFileSync(manifest, text.replace(`"version": "${current}"`, `"version": "${version}"`))
  writeFileSync(changelog, released)
  // What else a release notes: the hashes of its migrations, the bill of materials.
  for (const script of ['released', 'sbom']) if (script in scripts) run('bun', 'run', script)
  run('git', 'add', '--all')
  run('git', 'commit', '--quiet', '--message', `release: ${version}`)
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Version ${version}`)
  return `released ${version}: git push --follow-tags`
}

if (import.meta.main) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean', default: false } },
    })
    const [wanted, ...more] = positionals
    if (wanted === undefined || more.length > 0)
      throw new Error('Usage: bun run release VERSION|patch|minor|major [--dry-run]')
    process.stdout.write(`${release(wanted, values['dry-run'])}\n`)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
