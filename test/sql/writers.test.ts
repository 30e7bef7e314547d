// What writers can rely on: updated_at moves, keys stay, identities are stored as the rule writes them,
// and a dump restores whatever the session's search_path is.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()

const failure = async (statement: string): Promise<string> =>
  await database.sql.unsafe(statement).then(
    () => 'done',
    error => `${error.code} ${error.message}`,
  )

test('updated_at moves when a household or a signal changes, unless the writer sets it', async () => {
  await factory.haushalt(database.sql, { kontakt_key: 'email:a@example.org' })
  await factory.signal(database.sql)
  const moved = async (table: string) => {
    const [row] = await database.sql.unsafe(
      `select updated_at > now() - interval '1 minute' as moved from ${table}`,
    )
    return row?.moved
  }
  await database.sql`update haushalte set haushalt = haushalt, quelle = quelle`
  await database.sql`update signals set status = status`
  expect([await moved('haushalte'), await moved('signals')]).toEqual([false, false])
  await database.sql`update haushalte set quelle = 'kontakt_edit'`
  await database.sql`update signals set status = 'done'`
  expect([await moved('haushalte'), await moved('signals')]).toEqual([true, true])
  await database.sql`update signals set status = 'open', updated_at = '2026-01-01T00:00:00Z'`
  expect(await moved('signals')).toBe(false)
})

test('a row keeps its key for life', async () => {
  await factory.lead(database.sql)
  for (const statement of [
    'update leads set id = gen_random_uuid()',
    'update signals set id = gen_random_uuid()',
    "update haushalte set kontakt_key = 'email:b@example.org'",
  ])
    expect(await failure(statement)).toMatch(/^23000 a row of \w+ keeps its key for life/)
})

test.each(['', 'foo', 'lead:xx', 'email:Up@example.org', 'phone:01713920001', 'anna@example.org'])(
  'the identity %p is not stored, for it would never be found',
  async key => {
    expect(
      await failure(`insert into haushalte (kontakt_key, haushalt) values ('${key}', '{}')`),
    ).toMatch(/^23514/)
    expect(
      await failure(`insert into kontakt_aliases values ('${key}', 'email:z@example.org')`),
    ).toMatch(/^23514/)
  },
)

test('merged into a key without a record, a contact keeps its record under the surviving key', async () => {
  await database.sql`insert into haushalte (kontakt_key, haushalt, quelle) values ('email:old@example.org', '{"a": 1}', 'call')`
  await database.sql`select merge_kontakte('email:old@example.org', 'email:new@example.org')`
  const rows =
    await database.sql`select kontakt_key, haushalt, quelle from haushalte where kontakt_key ~ '(old|new)@'`
  expect(rows.map(row => ({ ...row }))).toEqual([
    { kontakt_key: 'email:new@example.org', haushalt: '{"a": 1}', quelle: 'call' },
  ])
})

test('a merge refuses to work under a snapshot from before its lock', async () => {
  expect(
    await failure(
      `set transaction isolation level repeatable read; select merge_kontakte('email:x@example.org', 'email:y@example.org')`,
    ),
  ).toMatch(/^25000 merge_kontakte needs/)
})

// pg_restore and careful writers set an empty search_path; a temporary table must not catch what is the feed's.
test('everything works whatever search_path is, and no temporary table takes an event', async () => {
  const before = await database.sql`select count(*)::integer as count from events`
  await database.sql.unsafe(`
    create temporary table events (like public.events including all);
    set local search_path = '';
    insert into public.leads (id, name) values ('00000000-0000-4000-8000-00000000abcd', 'x');
    insert into public.appointments (id, platform, starts_at) values ('00000000-0000-4000-8000-00000000abce', 'zoom', now());
    insert into public.meeting_intelligence (appointment_id, status, results) values ('00000000-0000-4000-8000-00000000abce', 'ready',
      '[{"field_key": "a", "label": "a", "kind": "a", "output_type": "text", "status": "ready", "value": 1, "score": null, "level": null,
        "rationale": null, "recommendation": null, "generated_at": "2026-01-15T10:00:00Z"}]');
    select public.append_event('lead.archived', 'lead', 'x', '{}', '{}');
    select public.merge_kontakte('email:p@example.org', 'email:q@example.org');
    drop table pg_temp.events`)
  const [after] = await database.sql`select count(*)::integer as count from events`
  expect(after?.count - before[0]?.count).toBe(5)
})
