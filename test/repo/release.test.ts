// bun run release: which version comes next, what becomes of the changelog, and the commit with its tag.
import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nextVersion, releasedChangelog } from '../../scripts/release.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { read, root } from './sources.ts'

const dir = makeDataDir('release')
afterAll(() => removeDataDir(dir))

describe('the next version', () => {
  test.each([
    ['patch', '0.1.1'],
    ['minor', '0.2.0'],
    ['major', '1.0.0'],
    ['0.1.0', '0.1.0'],
    ['0.10.0', '0.10.0'],
  ])('after 0.1.0, %s is %s', (wanted, version) => {
    expect(nextVersion('0.1.0', wanted)).toBe(version)
  })

  test.each(['0.0.9', 'v0.2.0', '0.2', 'next'])('%s is none', wanted => {
    expect(() => nextVersion('0.1.0', wanted)).toThrow()
  })
})

const changelog = `# Changelog

Words before.

## Unreleased

### Added

- A thing.

## 0.1.0, 2026-01-01

- The first.
`

describe('the changelog of a release', () => {
  test('gets a section with version and date, and an empty one to go on with', () => {
    const released = releasedChangelog(changelog, '0.2.0', '2026-02-03')
    expect(released).toBe(
      changelog.replace('## Unreleased\n', '## Unreleased\n\n## 0.2.0, 2026-02-03\n'),
    )
    expect(() => releasedChangelog(released, '0.3.0', '2026-02-04')).toThrow(/no entries/)
  })

  test('of a version that was described before has its features first', () => {
    const described = changelog.replace('0.1.0, 2026-01-01', '0.1.0, not released')
    const released = releasedChangelog(described, '0.1.0', '2026-02-03')
    expect(released).toContain(
      '## Unreleased\n\n## 0.1.0, 2026-02-03\n\n- The first.\n\n### Added\n\n- A thing.\n',
    )
    expect(released.match(/^## /gm)).toHaveLength(2)
  })

  test('has each version once', () => {
    expect(() => releasedChangelog(changelog, '0.1.0', '2026-02-03')).toThrow(/already/)
  })

  test('the one of this repository has the sections that a release needs', () => {
    const text = read('CHANGELOG.md')
    expect(text.match(/^## .*$/m)?.[0]).toBe('## Unreleased')
    const { version } = JSON.parse(read('package.json')) as { version: string }
    expect(text).toContain(`\n## ${version}, `)
    const kinds = [...text.matchAll(/^### (.*)$/gm)].map(match => match[1])
    expect(kinds.filter(kind => !['Added', 'Changed', 'Fixed'].includes(kind ?? ''))).toEqual([])
  })
})

const run = (command: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd: dir,
    env: {
      ...process.env,
      ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'Test', GIT_COMMITTER_NAME: 'Test' },
      ...{ GIT_AUTHOR_EMAIL: 'test@example.org', GIT_COMMITTER_EMAIL: 'test@example.org' },
    },
  })
  return { exitCode, out: stdout.toString().trim(), error: stderr.toString().trim() }
}
const git = (...args: string[]) => run(['git', ...args]).out
const release = (...args: string[]) =>
  run([process.execPath, join(root, 'scripts/release.ts'), ...args])

test('a release is one commit with a tag, of a tree that was clean', () => {
  git('init', '--quiet', '--initial-branch=main')
  const manifest = { version: '0.1.0', scripts: { released: 'echo noted > released.txt' } }
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(dir, 'CHANGELOG.md'), changelog)
  expect(release('minor').error).toMatch(/not committed/)
  git('add', '.')
  git('commit', '--quiet', '--message', 'begin')
  expect(release('--dry-run', 'minor')).toMatchObject({ exitCode: 0, error: '' })
  expect(git('tag')).toBe('')
  expect(release('0.1').error).toMatch(/three numbers/)
  expect(release('minor')).toMatchObject({ exitCode: 0, error: '' })
  expect(git('log', '--format=%s')).toBe('release: 0.2.0\nbegin')
  expect(git('describe', '--exact-match')).toBe('v0.2.0')
  expect(git('status', '--porcelain')).toBe('')
  expect(git('show', '--format=', '--name-only')).toBe('CHANGELOG.md\npackage.json\nreleased.txt')
  expect(readFileSync(join(dir, 'package.json'), 'utf8')).toContain('"version": "0.2.0"')
  expect(release('minor').error).toMatch(/no entries/)
})
