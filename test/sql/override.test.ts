// SQL_DIR: a file may say how a query finds its rows, never what it takes or returns; what is wrong with one is said in a
// sentence that names it.
import { expect, test } from 'bun:test'
import { startService } from '../../src/api/start.ts'
import { loadQueries } from '../../src/db/override.ts'
import { queries } from '../../src/db/queries.ts'
import { QueryFileError } from '../../src/db/query_file.ts'
import { startWorker } from '../../src/worker/start.ts'
import { signal } from '../support/database/factory.ts'
import { bearer, quietLog, sendTo, useService } from '../support/http/service.ts'
import { testConfig } from '../support/http/settings.ts'
import { oldestFirst, signalsPath, useSqlDirs } from './query_files.ts'

const api = useService()
const sqlDirOf = useSqlDirs()

/** What the start does with SQL_DIR. */
async function load(files: Record<string, string>) {
  let overridden: string[] = []
  const loaded = await loadQueries(api.sql, sqlDirOf(files), paths => {
    overridden = paths
  })
  return { queries: loaded, overridden }
}

test('a copy of every query is accepted, also with lines that end as on Windows; an empty directory replaces nothing', async () => {
  const texts = Object.values(queries).map(({ path, text }) => [`${path}.sql`, text])
  const files = Object.fromEntries(
    texts.map(([path, text]) => [path, text?.replaceAll('\n', '\r\n')]),
  )
  const replaced = await load({ ...files, 'README.md': 'ours' })
  expect(replaced.overridden).toHaveLength(texts.length)
  expect(replaced.queries).toEqual(queries)
  expect(await load({})).toEqual({ overridden: [], queries })
})

test('a file that no query is named after is refused, a function too', async () => {
  const paths = ['signals/list_signal', 'notes', 'functions/feed/counts', 'roles/grant_roles']
  const files = paths.map(path => [`${path}.sql`, queries.listSignals.text])
  const refused = await load(Object.fromEntries(files)).catch(error => error)
  expect(refused).toBeInstanceOf(QueryFileError)
  for (const path of paths) expect(refused.message).toContain(`${path}.sql`)
  expect(refused.message).toEndWith('but no query has that name')
})

const form = 'no line "prepare name (types) as"'
const notes =
  'prepare has 5 types, so the head must name as many parameters, $1 first, one line each, in order'
const own =
  'list_signals(status text, lead_id uuid, kontakt_keys text[], row_limit integer, row_offset integer)'
const differs = (from: string, to: string) =>
  `signature ${own.replace(from, to)} differs from ${own}`
const columns =
  /^returns columns .*, score numeric, .*, not id uuid, kind text, .*, score numeric, /
const directives = 'there are @planned, @replica, @uses, @adds, @not_null'

// A passage of list_signals.sql, what stands there instead, and what is said of it.
const mistakes: [passage: string, replacement: string, words: string | RegExp][] = [
  ['integer, integer)', 'bigint, integer)', differs('limit integer', 'limit bigint')],
  ['-- $1 status?', '-- $1 state?', differs('status', 'state')],
  [
    'prepare list_signals',
    'prepare list_signs',
    "prepares list_signs; the name must be the file's",
  ],
  [' as\n', ' as ', form],
  [queries.listSignals.text, '', form],
  ['-- $5 row_offset\n', '', notes],
  ['-- $1 status', '-- $2 status', notes],
  ['integer, integer)', 'integer, money)', 'parameter type money is not one the service sends'],
  ['prepare', 'set jit = on;\nprepare', 'only lines that begin with -- may stand before prepare'],
  ['listed.id desc;', 'listed.id desc', 'must end with a semicolon'],
  ['-- @uses', '-- @use', directives],
  ['-- @uses', '-- @planned twice\n-- @uses', '@planned takes nothing but with values'],
  ['listed.title, ', '', columns],
  ['listed.title, ', 'listed.title, listed.kind as outcome, ', columns],
  ['listed.title, ', 'length(listed.title) as title, ', columns],
  ['listed.kind, listed.title, ', 'listed.title, listed.kind, ', columns],
  ['from signals', 'form signals', 'syntax error at or near "signals"'],
  [
    'with listed as',
    'with gone as (delete from signals), listed as',
    'containing a data-modifying statement',
  ],
  ['from signals', 'from signal', 'relation "signal" does not exist'],
  [
    'listed.id desc;',
    'listed.id desc; select 1;',
    'cannot insert multiple commands into a prepared',
  ],
]

test.each(mistakes)('%p, replaced by %p, is refused', async (passage, replacement, words) => {
  const { text } = queries.listSignals
  expect(text).toContain(passage)
  const refused = await load({ [signalsPath]: text.replace(passage, () => replacement) }).catch(
    error => error,
  )
  expect(refused).toBeInstanceOf(QueryFileError)
  const [name, ...said] = refused.message.split(': ')
  expect([name, refused.message.includes('\n')]).toEqual([signalsPath, false])
  if (typeof words === 'string') expect(refused.message).toContain(words)
  else expect(said.join(': ')).toMatch(words)
})

test('the service answers with the replaced file, and the process logs it once', async () => {
  await signal(api.sql, { title: 'old', detected_at: '2020-01-01T00:00:00Z' })
  await signal(api.sql, { title: 'new' })
  const SQL_DIR = sqlDirOf(oldestFirst)
  const service = await startService(testConfig({ SQL_DIR }), api.url, quietLog())
  const reply = await sendTo(`${service.url}/api/v1`, '/signals', bearer(api.key))
  await service.stop()
  expect(reply.body.data.map(({ title }: { title: string }) => title)).toEqual(['old', 'new'])
  // Next to the API, that part logs it.
  for (const [ROLES, expected] of [
    ['worker', [['signals/list_signals']]],
    ['api,worker', []],
  ] as const) {
    const logged: string[][] = []
    const log = quietLog()
    log.subscribe(({ name, fields }) => name === 'sql_overridden' && logged.push([...fields.paths]))
    const worker = await startWorker(testConfig({ SQL_DIR, ROLES }), api.url, log)
    await worker.stop()
    expect(logged).toEqual(expected as never)
  }
})
