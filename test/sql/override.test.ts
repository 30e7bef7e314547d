// SQL_DIR: a file may say how a query finds its rows, never what it takes or returns.
import { expect, test } from 'bun:test'
import { checkOverrides, overrideQueries } from '../../src/db/override.ts'
import { queries } from '../../src/db/queries.ts'
import { QueryFileError } from '../../src/db/query_file.ts'
import { useDatabase } from '../support/database/database.ts'
import { changedSignals, oldestFirst, signalsPath, useSqlDirs } from './query_files.ts'

const database = useDatabase()
const sqlDirOf = useSqlDirs()

/** What the start does with SQL_DIR. */
async function load(dir: string) {
  const replaced = overrideQueries(dir)
  await checkOverrides(database.sql, replaced.queries, replaced.overridden)
  return replaced
}

async function refusal(dir: string): Promise<string> {
  const error = await load(dir).catch(error => error)
  expect(error).toBeInstanceOf(QueryFileError)
  expect(error.message).not.toContain('\n')
  return error.message
}

test('an empty directory replaces nothing', async () => {
  const replaced = await load(sqlDirOf({}))
  expect(replaced.overridden).toEqual([])
  expect(replaced.queries).toEqual(queries)
})

test('a file replaces the query of its path, and no other', async () => {
  const replaced = await load(sqlDirOf({ ...oldestFirst, 'README.md': 'ours' }))
  expect(replaced.overridden).toEqual(['signals/list_signals'])
  expect(replaced.queries.listSignals.text).toBe(oldestFirst[signalsPath] ?? '')
  expect(replaced.queries.listLeads).toBe(queries.listLeads)
})

test('a file whose lines end as on Windows is accepted', async () => {
  const text = queries.getHookTarget.text.replaceAll('\n', '\r\n')
  const replaced = await load(sqlDirOf({ 'hooks/get_hook_target.sql': text }))
  expect(replaced.queries.getHookTarget).toEqual(queries.getHookTarget)
})

test('a copy of every query is accepted', async () => {
  const files = Object.values(queries).map(({ path, text }) => [`${path}.sql`, text])
  expect((await load(sqlDirOf(Object.fromEntries(files)))).overridden).toHaveLength(files.length)
})

test('a file that no query is named after is refused, a function too', async () => {
  const files = {
    'signals/list_signal.sql': queries.listSignals.text,
    'notes.sql': '-- ours',
    'functions/feed/counts.sql': '-- ours',
    'roles/grant_roles.sql': '-- ours',
    'migrations/0014_ours.sql': '-- ours',
  }
  const message = await refusal(sqlDirOf(files))
  for (const path of Object.keys(files)) expect(message).toContain(path)
  expect(message).toEndWith('but no query has that name')
})

const signature =
  'list_signals(status text, lead_id uuid, kontakt_keys text[], row_limit integer, row_offset integer)'
const signatures: [what: string, files: Record<string, string>, message: string][] = [
  [
    'another type',
    changedSignals('integer, integer)', 'bigint, integer)'),
    `signals/list_signals.sql: signature ${signature.replace('limit integer', 'limit bigint')} differs from ${signature}`,
  ],
  [
    'another parameter name',
    changedSignals('-- $1 status?', '-- $1 state?'),
    `signals/list_signals.sql: signature ${signature.replace('status', 'state')} differs from ${signature}`,
  ],
  [
    'another statement name',
    changedSignals('prepare list_signals', 'prepare list_signs'),
    "signals/list_signals.sql: prepares list_signs; the name must be the file's",
  ],
  [
    'an unnamed parameter',
    changedSignals('-- $5 row_offset\n', ''),
    'signals/list_signals.sql: prepare has 5 types, so the head must name as many parameters, $1 first, one line each, in order',
  ],
  [
    'a type the service cannot send',
    changedSignals('integer, integer)', 'integer, smallint)'),
    'signals/list_signals.sql: parameter type smallint is not one the service sends',
  ],
  [
    'no statement to prepare',
    { [signalsPath]: 'select 1;' },
    'signals/list_signals.sql: no line "prepare name (types) as"',
  ],
  [
    'a setting before its statement',
    changedSignals('prepare list_signals', 'set jit = on;\nprepare list_signals'),
    'signals/list_signals.sql: only lines that begin with -- may stand before prepare',
  ],
  [
    'no semicolon',
    changedSignals('listed.id desc;', 'listed.id desc'),
    'signals/list_signals.sql: must end with a semicolon',
  ],
]

test.each(signatures)('a file with %s is refused', async (_, files, message) => {
  expect(await refusal(sqlDirOf(files))).toBe(message)
})

const columns: [what: string, files: Record<string, string>][] = [
  ['a column missing', changedSignals('listed.title, ', '')],
  ['a column more', changedSignals('listed.title, ', 'listed.title, listed.kind as outcome, ')],
  ['a column of another name', changedSignals('listed.title, ', 'listed.title as titel, ')],
  ['a column of another type', changedSignals('listed.title, ', 'length(listed.title) as title, ')],
  [
    'columns in another order',
    changedSignals('listed.kind, listed.title, ', 'listed.title, listed.kind, '),
  ],
]

test.each(columns)('a file that returns %s is refused', async (_, files) => {
  expect(await refusal(sqlDirOf(files))).toMatch(
    /^signals\/list_signals\.sql: returns columns .*, score numeric, .*, not id uuid, kind text, .*, score numeric, /,
  )
})

const mistakes: [what: string, files: Record<string, string>, reason: string][] = [
  [
    'a syntax error',
    changedSignals('from signals', 'form signals'),
    'syntax error at or near "signals" (line',
  ],
  [
    'a comment in the way of the last bracket',
    changedSignals('listed.id desc;', 'listed.id desc -- the end;'),
    'syntax error at end of input',
  ],
  [
    'a write inside a reading query',
    changedSignals('with listed as', 'with gone as (delete from signals), listed as'),
    'WITH clause containing a data-modifying statement must be at the top level (it reads, so it is sent as a subquery)',
  ],
  [
    'an unknown table',
    changedSignals('from signals', 'from signal'),
    'relation "signal" does not exist',
  ],
  [
    'an unknown column',
    changedSignals('listed.title, ', 'listed.titel, '),
    'column listed.titel does not exist',
  ],
  [
    'a second statement',
    changedSignals('listed.id desc;', 'listed.id desc; select 1;'),
    'cannot insert multiple commands into a prepared statement',
  ],
]

test.each(mistakes)(
  'a file with %s is refused in one sentence that names it',
  async (_, files, reason) => {
    const message = await refusal(sqlDirOf(files))
    expect(message).toStartWith('signals/list_signals.sql: ')
    expect(message).toContain(reason)
  },
)
