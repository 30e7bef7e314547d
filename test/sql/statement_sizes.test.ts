// Short statements: what a DBA cannot see on one screen is two things.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { sqlDir } from './query_files.ts'
import { statementsOf } from './statements.ts'

const linesMax = 60
const ctesMax = 4

/** By file and name, each with its reason. */
const exceptions: Record<string, string> = {
  'functions/income/words.sql income_words': 'a table: the words of the income rule',
  'functions/events/samples.sql make_sample_events':
    'writes one person from lead to signal, for each type of event',
  'roles/grant_roles.sql do $$ declare': 'the list of all rights',
}

const files = [...new Glob('**/*.sql').scanSync(sqlDir)].sort()
const statements = files.flatMap(path =>
  statementsOf(readFileSync(join(sqlDir, path), 'utf8')).map(statement => ({
    place: `${path} ${statement.name}`,
    ...statement,
  })),
)
const long = statements.filter(({ lines, ctes }) => lines > linesMax || ctes > ctesMax)

test('no statement has more than 60 lines or 4 common table expressions, but for those named here', () => {
  expect(statements.length).toBeGreaterThan(1_000)
  expect(long.filter(({ place }) => !(place in exceptions))).toEqual([])
})

test('no exception is short by now', () => {
  const places = long.map(({ place }) => place)
  expect(Object.keys(exceptions).filter(place => !places.includes(place))).toEqual([])
})

test('the check itself sees statements of every form', () => {
  const text = `-- A comment; with a semicolon.
create function f(a text) returns text
  language sql immutable
begin atomic
  -- Not counted.
  select a || ';';

  select 'with x as (select 1)';
end;
create function g() returns void language plpgsql as $$
begin
  with one as (select 1), two (n) as materialized (select 2) select 1 from one, two;
  with three as (
    (select 3)
  ) insert into t select 1 from three;
end
$$;
prepare q (integer) as
with one as (
  select 1
)
select $1;
insert into s.t values (1)`
  expect(statementsOf(text)).toEqual([
    { name: 'f', lines: 6, ctes: 0 },
    { name: 'g', lines: 8, ctes: 2 },
    { name: 'q', lines: 5, ctes: 1 },
    { name: 's.t', lines: 1, ctes: 0 },
  ])
})
