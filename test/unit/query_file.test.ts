// How a .sql file is read, and every complaint about one that does not keep the form.
import { describe, expect, test } from 'bun:test'
import { QueryFileError, readQueryFile, signature } from '../../src/db/query_file.ts'

const text = `-- What it answers.
--
-- $1 status?    null: any
-- $2 row_limit
--
-- @uses things_pkey, things_status_idx: whatever comes first
-- @adds things_size_idx
-- @not_null id: of the thing
prepare list_things (text, integer) as
select id
from things
where things.status = $1
limit $2;
`

const read = (changed: string, path = 'things/list_things') => readQueryFile(path, changed)

test('a file gives its name, its parameters and the statement without prepare and semicolon', () => {
  const file = read(text)
  expect(file).toEqual({
    path: 'things/list_things',
    name: 'list_things',
    parameters: [
      { name: 'status', type: 'text', nullable: true },
      { name: 'row_limit', type: 'integer', nullable: false },
    ],
    withValues: false,
    mayBeBehind: false,
    uses: ['things_pkey', 'things_status_idx'],
    adds: ['things_size_idx'],
    notNull: ['id'],
    statement: 'select id\nfrom things\nwhere things.status = $1\nlimit $2',
    text,
  })
  expect(signature(file)).toBe('list_things(status text, row_limit integer)')
})

test('a file says in its head that it is planned once', () => {
  expect(read(text.replace('-- @uses', '-- @planned with values\n-- @uses')).withValues).toBe(true)
  expect(read(text.replace('select id', '-- @planned with values\nselect id')).withValues).toBe(
    false,
  )
  expect(read(text.replace('-- @uses', '-- Planned with values.\n-- @uses')).withValues).toBe(false)
})

test('a file says in its head that a replica may answer it', () => {
  const saying = (words: string) => read(text.replace('-- @uses', `-- @replica ${words}\n-- @uses`))
  expect(saying('answers').mayBeBehind).toBe(true)
  expect(saying('answers: its rows are old anyway').mayBeBehind).toBe(true)
  expect(saying('once').mayBeBehind).toBe(false)
})

test('what several lines of a directive name is one list', () => {
  const file = read(text.replace('-- @adds', '-- @uses things_kind_idx\n-- @adds'))
  expect(file.uses).toEqual(['things_pkey', 'things_status_idx', 'things_kind_idx'])
})

test('a statement without parameters has no types', () => {
  const file = read('-- All.\nprepare list_things as\nselect id\nfrom things;\n')
  expect(file.parameters).toEqual([])
  expect(signature(file)).toBe('list_things()')
})

test('arrays are types too', () => {
  const file = read(text.replace('(text, integer)', '(text[], timestamptz[])'))
  expect(file.parameters.map(({ type }) => type)).toEqual(['text[]', 'timestamptz[]'])
})

describe('is refused with what is wrong and where:', () => {
  const order =
    'things/list_things.sql: prepare has 2 types, so the head must name as many parameters, $1 first, one line each, in order'

  test.each([
    ['an empty file', '', 'things/list_things.sql: no line "prepare name (types) as"'],
    [
      'a statement without prepare',
      'select 1;',
      'things/list_things.sql: no line "prepare name (types) as"',
    ],
    [
      'capitals',
      text.replace('prepare', 'PREPARE'),
      'things/list_things.sql: no line "prepare name (types) as"',
    ],
    [
      'a statement that begins on the line of prepare',
      text.replace(' as\n', ' as '),
      'things/list_things.sql: no line "prepare name (types) as"',
    ],
    [
      'another name than the file',
      text.replace('prepare list_things', 'prepare list_others'),
      "things/list_things.sql: prepares list_others; the name must be the file's",
    ],
    ['no semicolon', text.replace(';', ''), 'things/list_things.sql: must end with a semicolon'],
    [
      'text behind the semicolon',
      `${text}-- end`,
      'things/list_things.sql: must end with a semicolon',
    ],
    ['a parameter without a note', text.replace('-- $2 row_limit\n', ''), order],
    ['a note too many', text.replace('-- $2 row_limit', '-- $2 row_limit\n-- $3 more'), order],
    [
      'notes out of order',
      text.replace('$1 status?', '$2 status?').replace('$2 row', '$1 row'),
      order,
    ],
    [
      'a note after prepare',
      text.replace('-- $2 row_limit\n', '').replace('limit $2', '-- $2 n\nlimit $2'),
      order,
    ],
    [
      'a type that cannot be sent',
      text.replace('integer', 'money'),
      'things/list_things.sql: parameter type money is not one the service sends',
    ],
    [
      'a directive that does not exist',
      text.replace('@uses', '@use'),
      'things/list_things.sql: the head says "-- @use things_pkey, things_status_idx: whatever comes first"; there are @planned, @replica, @uses, @adds, @not_null',
    ],
    [
      'a directive without a value',
      text.replace('@adds things_size_idx', '@adds'),
      'things/list_things.sql: the head says "-- @adds"; there are @planned, @replica, @uses, @adds, @not_null',
    ],
  ])('%s', (_what, changed, message) => {
    expect(() => read(changed)).toThrow(new QueryFileError(message))
  })
})
