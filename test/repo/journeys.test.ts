// The ways through the code in docs/development/journeys.md are those of the code: each file imports one above it or is imported
// by one. And they stay short.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { read, root } from './sources.ts'

type Journey = { title: string; files: string[]; said: string }

// TypeScript files and queries of each, at most. A way that gets longer gets harder to follow.
const limits: Record<string, [files: number, queries: number]> = {
  'A parameter': [11, 1],
  'An API key': [6, 2],
  'A lead': [21, 2],
  'A tool call': [8, 0],
  'A webhook': [8, 2],
}

const manifest = 'src/db/queries.generated.ts'
// What they gather is opened, they are not.
const gatherers = ['src/db/queries.ts', 'src/dashboard/texts.ts', 'src/dashboard/texts/de.ts']

/** A section for each heading; its files are the first cells of its table. */
const journeysIn = (page: string): Journey[] =>
  page
    .split(/^## /m)
    .slice(1)
    .map(section => ({
      title: section.split('\n')[0] ?? '',
      files: [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path),
      said: /^\d+ TypeScript files.*$/m.exec(section)?.[0] ?? '',
    }))

const isSql = (path: string) => path.endsWith('.sql')
const isQuery = (path: string) => isSql(path) && !/^sql\/(functions|migrations)\//.test(path)

function importsOf(path: string): string[] {
  const found = read(path).matchAll(/(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g)
  return [...found]
    .map(([, specifier = '']) => join(dirname(path), specifier))
    .flatMap(file => (gatherers.includes(file) ? [file, ...importsOf(file)] : [file]))
}

const queryNames = new Map(
  [...read(manifest).matchAll(/^import (\w+) from '..\/..\/(sql\/[^']+)'/gm)].map(
    ([, name = '', path = '']) => [path, name],
  ),
)

/** `database.rows('listLeads', …)`: the code has a query by the name of its file. */
const runs = (path: string, query: string) => read(path).includes(`'${queryNames.get(query)}'`)

const definedIn = (path: string) =>
  [...read(path).matchAll(/^create or replace function (\w+)\(/gm)].map(([, name = '']) => name)

/** A statement or a trigger names a function that the other file defines. */
const calls = (path: string, functions: string) =>
  definedIn(functions).some(name => new RegExp(`\\b${name}\\(`).test(read(path)))

/** The database notifies a channel that the code listens to. */
const notifies = (path: string, listener: string) =>
  [...read(path).matchAll(/pg_notify\('(\w+)'/g)].some(([, channel]) =>
    read(listener).includes(`'${channel}'`),
  )

/** Whether a reader of the first file is led to the second. */
function leads(from: string, to: string): boolean {
  if (isSql(from)) return isSql(to) ? calls(from, to) : notifies(from, to)
  if (to === manifest && [...queryNames.keys()].some(query => runs(from, query))) return true
  return isSql(to) ? runs(from, to) : importsOf(from).includes(to)
}

const isConnected = (one: string, other: string) => leads(one, other) || leads(other, one)

/** The files that no file above them is connected with. */
const outOfNowhere = (files: readonly string[]) =>
  files.filter(
    (file, place) => place > 0 && !files.slice(0, place).some(above => isConnected(above, file)),
  )

const journeys = journeysIn(read('docs/development/journeys.md'))

test('there are five', () => {
  expect(journeys.map(({ title }) => title.split(/[:,]| that/)[0])).toEqual(Object.keys(limits))
})

describe.each(journeys)('$title', ({ title, files, said }) => {
  test('names files that exist, each once', () => {
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter(path => !existsSync(join(root, path)))).toEqual([])
    expect(new Set(files).size).toBe(files.length)
  })

  test('leads to each file from one above it', () => {
    expect(outOfNowhere(files)).toEqual([])
  })

  test('is as long as it says, and no longer than it may be', () => {
    const typescript = files.filter(path => !isSql(path)).length
    const queries = files.filter(isQuery).length
    const [filesMax = 0, queriesMax = 0] = limits[title.split(/[:,]| that/)[0] ?? ''] ?? []
    expect(said).toStartWith(`${typescript} TypeScript files`)
    if (queries > 0) expect(said).toContain(`${queries} ${queries === 1 ? 'query' : 'queries'}`)
    expect(typescript).toBeLessThanOrEqual(filesMax)
    expect(queries).toBeLessThanOrEqual(queriesMax)
  })
})

test('the check itself notices a file that nothing leads to', () => {
  const way = ['src/api/app.ts', 'src/api/rest/answer.ts', 'src/api/rest/input.ts']
  expect(outOfNowhere(way)).toEqual([])
  expect(outOfNowhere(way.toSpliced(1, 1))).toEqual(['src/api/rest/input.ts'])
  expect(outOfNowhere([...way, 'sql/leads/get_lead.sql', 'src/delivery/dispatch.ts'])).toEqual([
    'sql/leads/get_lead.sql',
    'src/delivery/dispatch.ts',
  ])
  expect(leads('src/operations/leads.ts', 'sql/leads/get_lead.sql')).toBe(true)
  expect(leads('src/operations/leads.ts', 'sql/events/get_event_page.sql')).toBe(false)
  expect(leads('sql/functions/feed/log.sql', 'src/worker/notifications.ts')).toBe(true)
  expect(leads('sql/functions/events/leads.sql', 'sql/functions/feed/log.sql')).toBe(false)
})
