// The README is the way in: short, with every page of the documentation within two links.
import { expect, test } from 'bun:test'
import { read } from './sources.ts'

const readme = read('README.md')

test('the README has fewer than 200 lines', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThan(200)
})

const shell = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => text ?? '')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

test('it begins with two commands and a request', () => {
  expect(shell[0]).toMatch(/^npx --yes bun start .*\nnpx --yes bun run test .*\n$/)
  expect(shell[1]).toMatch(/^curl -H "Authorization: Bearer \$\(cat \.data\/demo_key\)"/)
})

test('its commands are those of package.json', () => {
  const named = shell.flatMap(text => [...text.matchAll(/\bbun (?:run )?([a-z][\w:]*)/g)])
  const unknown = named.map(match => match[1] ?? '').filter(name => !(name in scripts))
  expect(named.length).toBeGreaterThan(4)
  expect(unknown).toEqual(['install'])
})

test('it has an example for each of the three ways in', () => {
  const [, section = ''] = /\n## Three ways in\n([\s\S]*?)\n## /.exec(readme) ?? []
  for (const way of ['/leads?', '/events?', '/hooks"', '/mcp ']) expect(section).toContain(way)
})
