// From the first tag on migrations are append-only: databases out there have applied them.
import { expect, test } from 'bun:test'
import {
  changedHistory,
  migrationFiles,
  readReleased,
  releasedList,
} from '../support/repo/released.ts'
import { root } from './sources.ts'

test('no released migration has changed, and a new one comes after them', () => {
  expect(changedHistory(readReleased(), migrationFiles())).toEqual([])
})

/** The migrations of the newest tag; none where there is no tag, or no repository. */
function tagged(): string[] {
  const git = (...args: string[]) => {
    if (Bun.which('git') === null) return ''
    return Bun.spawnSync(['git', ...args], { cwd: root, stderr: 'ignore' })
      .stdout.toString()
      .trim()
  }
  const tag = git('describe', '--tags', '--abbrev=0')
  if (tag === '') return []
  return git('ls-tree', '--name-only', tag, 'sql/migrations/')
    .split('\n')
    .filter(path => path.endsWith('.sql'))
    .map(path => path.slice('sql/migrations/'.length))
}

test('every migration of the newest tag is noted as released (bun run released, before the tag)', () => {
  const released = readReleased()
  expect(tagged().filter(name => !released.includes(`  ${name}\n`))).toEqual([])
})

test('the check itself notices', () => {
  const files = { '0001_a.sql': 'a', '0003_b.sql': 'b' }
  const released = releasedList(files)
  expect(changedHistory(released, files)).toEqual([])
  expect(changedHistory(released, { ...files, '0004_c.sql': 'c' })).toEqual([])
  expect(changedHistory('', files)).toEqual([])
  expect(changedHistory(released, { ...files, '0001_a.sql': 'A' })).toEqual([
    '0001_a.sql was released and must not change',
  ])
  expect(changedHistory(released, { '0003_b.sql': 'b' })).toEqual([
    '0001_a.sql was released and must not change',
  ])
  expect(changedHistory(released, { ...files, '0002_c.sql': 'c', '0003_d.sql': 'd' })).toEqual([
    '0002_c.sql must have a number above 0003_b.sql',
    '0003_d.sql must have a number above 0003_b.sql',
  ])
})
