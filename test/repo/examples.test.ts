// What a page offers to copy has the form that its reader takes. Requests, programs and statements run elsewhere:
// test/process/guides, feed/copy, repo/sql_readme.
import { expect, test } from 'bun:test'
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

type Workflow = { jobs: Record<string, { steps?: { uses?: string }[] }> }

test.each(filesIn('.github/workflows', '.yml'))('$path uses actions at a version', ({ text }) => {
  const { jobs } = Bun.YAML.parse(text) as Workflow
  const used = Object.values(jobs).flatMap(({ steps = [] }) =>
    steps.flatMap(({ uses }) => uses ?? []),
  )
  expect(used.filter(name => !/^[\w-]+\/[\w/-]+@v[\d.]+$/.test(name))).toEqual([])
})
