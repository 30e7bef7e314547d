// Deliveries as a table: what the filter shows, in a form that a spreadsheet reads and does not run.
import { beforeAll, expect, test } from 'bun:test'
import { cell } from '../../src/dashboard/pages/deliveries_csv.ts'
import { dashboardSettings, type Session, signIn, visitor } from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService(dashboardSettings)
let session: Session
let id = ''

/** Three delivered, one failed: about persons whose names are formulas, or almost. */
beforeAll(async () => {
  const { sql } = api
  id = (await factory.hook(sql, { label: 'CRM „Müller" / Süd' })).id as string
  const names = ['=1+1', '@SUM(A1)', 'Anna "Änne" Weber; Söhne', '\t=cmd|calc']
  for (const [place, name] of names.entries()) {
    const cursor = place + 1
    await factory.event(sql, { cursor, data: { name } })
    const outcome = cursor === 3 ? 'f' : 'd'
    await factory.attempt(sql, { subscription_id: id, cursor, outcome })
    if (outcome === 'f') await factory.failure(sql, { subscription_id: id, cursor })
  }
  await factory.position(sql, id, { cursor: 4 })
  session = await signIn(api)
})

const exported = (query = '', from = session) =>
  from.get(`/dashboard/webhooks/${id}/export?${query}`)
/** Cells by rows, without their quotes. */
const table = (text: string, separator: string) =>
  text
    .replace(/^\ufeff/, '')
    .trimEnd()
    .split('\r\n')
    .map(line => line.slice(1, -1).split(`"${separator}"`))

test.each([
  ['=1+1', `"'=1+1"`],
  ['+49 171', `"'+49 171"`],
  ['-1', `"'-1"`],
  ['@x', `"'@x"`],
  ['\tx', `"'\tx"`],
  ['\rx', `"'\rx"`],
  ['a=1', '"a=1"'],
  ['say "hi"\r\n=1', '"say ""hi""\r\n=1"'],
  [12, '"12"'],
  [null, '""'],
])('%j is the cell %s', (value, expected) => {
  expect(cell(value)).toBe(expected)
})

test('the table has a line for each delivery that the filter shows, newest first', async () => {
  const { status, headers, text } = await exported('time=&state=all')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="CRM-Muller-Sud-\d{4}-\d\d-\d\d\.csv"$/,
  )
  const [head, ...rows] = table(text, ';')
  expect(head?.slice(0, 5)).toEqual(['Zeitpunkt (UTC)', 'Status', 'Ereignis', 'Art', 'Betrifft'])
  expect(rows.map(cells => [cells[1], cells[4], cells[5]])).toEqual([
    ['zugestellt', "'\t=cmd|calc", '200'],
    ['fehlgeschlagen', 'Anna ""Änne"" Weber; Söhne', '500'],
    ['zugestellt', "'@SUM(A1)", '200'],
    ['zugestellt', "'=1+1", '200'],
  ])
  // Spreadsheets show no zone: what they show is said where the file is offered.
  expect((await session.get(`/dashboard/webhooks/${id}?state=all`)).text).toContain(
    'die neuesten zuerst; Zeitpunkte in Weltzeit (UTC)',
  )
  const failed = table((await exported('reason=5xx&state=failed')).text, ';')
  expect(failed).toHaveLength(2)
  const english = await exported('state=delivered', await signIn(api, 'en'))
  expect(table(english.text, ',').map(cells => cells[1])).toEqual([
    'State',
    ...Array(3).fill('delivered'),
  ])
})

test('a long table comes whole, up to its limit', async () => {
  await api.sql`insert into hook_attempts (no, cursor, started_at, fence, duration_ms, attempt, status, outcome)
    select no, n, now(), 1, 1, 1, 200, 'd' from hook_positions, generate_series(11, 12010) as n where subscription_id = ${id}`
  const cursors = table((await exported('state=delivered')).text, ';')
    .slice(1)
    .map(cells => Number(cells.at(-1)))
  expect(cursors).toEqual(Array.from({ length: 10_000 }, (_, place) => 12_010 - place))
}, 30_000)

test('no table without a sign-in, and none of a webhook that is not there', async () => {
  const stranger = await exported('', visitor(api))
  expect([stranger.status, stranger.location]).toEqual([303, expect.stringContaining('sign-in')])
  const none = await session.get(`/dashboard/webhooks/${crypto.randomUUID()}/export`)
  expect(none.status).toBe(404)
})
