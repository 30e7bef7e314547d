// What writers can rely on: updated_at moves, keys stay, identities are stored as the rule writes them, and a dump
// restores whatever the session's search_path is.
import { expect, test } from 'bun:test'
import { rolledBack, useDatabase } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'

const database = useDatabase()
const failure = (statement: string): Promise<string> =>
  database.sql.unsafe(statement).then(
    () => 'done',
    error => `${error.code} ${error.message}`,
  )

test('updated_at moves when a household or a signal changes, unless the writer sets it', async () => {
  const { sql } = database
  await factory.haushalt(sql, { kontakt_key: 'email:a@example.org' })
  await factory.signal(sql)
  const changes: [statement: string, moved: boolean][] = [
    ['update haushalte set haushalt = haushalt, quelle = quelle', false],
    ['update signals set status = status', false],
    ["update haushalte set quelle = 'kontakt_edit'", true],
    ["update signals set status = 'done'", true],
    ["update signals set status = 'open', updated_at = '2026-01-01T00:00:00Z'", false],
  ]
  for (const [statement, moved] of changes) {
    const [row] = await sql.unsafe(
      `${statement} returning updated_at > now() - interval '1 minute' as moved`,
    )
    expect([statement, row?.moved]).toEqual([statement, moved])
  }
})

test('a row keeps its key for life, and a signal outlives its lead', async () => {
  const { id } = await factory.lead(database.sql)
  await factory.signal(database.sql, { lead_id: id })
  for (const statement of [
    'update leads set id = gen_random_uuid()',
    'update signals set id = gen_random_uuid()',
    "update haushalte set kontakt_key = 'email:b@example.org'",
  ])
    expect(await failure(statement)).toMatch(/^23000 a row of \w+ keeps its key for life/)
  await database.sql`delete from leads`
  expect(await database.sql`select from signals where lead_id is null`).toHaveLength(2)
})

const wrongKeys = [
  '',
  'foo',
  'lead:xx',
  'email:Up@example.org',
  'phone:01713920001',
  'a@example.org',
]

test.each(wrongKeys)(
  'nothing is stored under the identity %p, for it would never be found',
  async key => {
    const inserts = [
      () => factory.haushalt(database.sql, { kontakt_key: key }),
      () => factory.alias(database.sql, key, 'email:z@example.org'),
      () => factory.analysis(database.sql, { kontakt_key: key }),
      () => factory.signal(database.sql, { kontakt_key: key }),
    ]
    for (const insert of inserts) await expect(insert()).rejects.toMatchObject({ code: '23514' })
  },
)

const stored = {
  'https://zoom.example/räum|{1}': 'https://zoom.example/r%C3%A4um%7C%7B1%7D',
  'https://zoom.example/100%': 'https://zoom.example/100%25',
  'https://zoom.example/j?c=%7B%22Tid%22%7D': 'https://zoom.example/j?c=%7B%22Tid%22%7D',
  'https://[2001:db8::1]/j': 'https://[2001:db8::1]/j',
  'https://zoom.example/j#a#b': 'https://zoom.example/j#a%23b',
}

test.each(Object.entries(stored))('the link %s is stored as the URI %s', (written, uri) =>
  rolledBack(database.sql, async sql => {
    const inserted = await factory.appointment(sql, { meeting_url: written })
    const [updated] =
      await sql`update appointments set meeting_url = ${written} returning meeting_url`
    expect([inserted.meeting_url, updated?.meeting_url]).toEqual([uri, uri])
  }),
)

// pg_restore and careful writers set an empty search_path; a temporary table must not catch what is the feed's.
test('everything works whatever search_path is, and no temporary table takes an event', async () => {
  const count = async () =>
    (await database.sql`select count(*)::integer as count from events`)[0]?.count
  const before = await count()
  await database.sql.unsafe(`
    create temporary table events (like public.events including all);
    set local search_path = '';
    insert into public.leads (id, name) values ('00000000-0000-4000-8000-00000000abcd', 'x');
    insert into public.appointments (id, platform, starts_at) values ('00000000-0000-4000-8000-00000000abce', 'zoom', now());
    insert into public.meeting_intelligence (appointment_id, status, results) values ('00000000-0000-4000-8000-00000000abce', 'ready',
      '[{"field_key": "a", "label": "a", "kind": "a", "output_type": "text", "status": "ready", "value": 1, "score": null, "level": null,
        "rationale": null, "recommendation": null, "generated_at": "2026-01-15T10:00:00Z"}]');
    select public.emit_event('lead.archived', 'lead', 'x', '{}', '{"lead_id": "x", "archive_reason_code": null}');
    select public.merge_kontakte('email:p@example.org', 'email:q@example.org');
    drop table pg_temp.events`)
  expect((await count()) - before).toBe(5)
})
