// What the documentation takes from the program is up to date.
import { expect, test } from 'bun:test'
import { generatedPages } from '../../scripts/write_readme.ts'
import { filesIn, read } from './sources.ts'

test.each(Object.entries(await generatedPages()))(
  '%s is up to date: bun run readme writes it',
  (path, text) => {
    expect(read(path)).toBe(text)
  },
)

test('every metric that a page or an alert rule names exists', () => {
  const listed = [...read('docs/reference/metrics.md').matchAll(/^\| `(wda_\w+)/gm)]
  const samples = listed.flatMap(([, name]) =>
    ['', '_bucket', '_count', '_sum'].map(suffix => name + suffix),
  )
  const texts = [...filesIn('docs', '.md'), ...filesIn('docs/operations', '.yml')]
  const named = texts.flatMap(({ text }) => text.match(/\bwda_[a-z_]+[a-z](?!…)\b/g) ?? [])
  expect(named.length).toBeGreaterThan(listed.length)
  expect(named.filter(name => !samples.includes(name))).toEqual([])
})
