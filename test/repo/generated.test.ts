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

test('every metric that a page, an alert rule or the shipped dashboard names exists', () => {
  const listed = [...read('docs/reference/metrics.md').matchAll(/^\| `(wda_\w+)/gm)]
  const samples = listed.flatMap(([, name]) =>
    ['', '_bucket', '_count', '_sum'].map(suffix => name + suffix),
  )
  const rules = ['deploy/alerts.yml', 'deploy/grafana.json'].map(path => ({ text: read(path) }))
  const texts = [...filesIn('docs', '.md'), ...rules]
  for (const { text } of rules) expect(text.match(/\bwda_/g)?.length).toBeGreaterThan(8)
  const named = texts.flatMap(({ text }) => text.match(/\bwda_[a-z_]+[a-z](?!…)\b/g) ?? [])
  expect(named.length).toBeGreaterThan(listed.length)
  expect(named.filter(name => !samples.includes(name))).toEqual([])
})
