// An empty answer says what may be wrong, and a date alone is a day in Germany.
import { beforeAll, expect, test } from 'bun:test'
import { appointment, haushalt, lead } from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'
import { callTool, type Message } from '../support/http/tool_calls.ts'

const api = useService()

beforeAll(async () => {
  await lead(api.sql, { name: 'Anna Schmidt', phone: '0171 392 0001' })
  await lead(api.sql, { name: 'Alt', email: 'alt@example.org', archived_at: new Date() })
  await haushalt(api.sql, {})
  for (const starts_at of ['2026-11-21T22:59:59Z', '2026-11-21T23:00:00Z', '2026-07-01T22:00:00Z'])
    await appointment(api.sql, { starts_at, status: 'completed' })
})

const hintOf = async (name: string, args: Message) => {
  const { structured, envelope } = await callTool(api, name, args)
  expect(envelope).toEqual(structured)
  return structured.meta.hint as string | undefined
}

test('several words that are in no field together', async () => {
  for (const query of ['Anna Schmidt berlin', 'Schmidt Anna'])
    expect(await hintOf('search_leads', { query })).toContain('single word')
  expect(await hintOf('search_leads', { query: 'unbekannt' })).toStartWith('Archived leads')
  expect(await hintOf('search_leads', { query: 'anna schmidt' })).toBeUndefined()
})

test('the email of an archived lead, and a phone that is stored in another spelling', async () => {
  const email = await hintOf('search_leads', { query: 'alt@example.org' })
  expect(email).toContain('Archived leads are left out. get_haushalt with the whole email')
  const kontakt_key = 'email:alt@example.org'
  await haushalt(api.sql, { kontakt_key })
  const { envelope } = await callTool(api, 'get_haushalt', { key: 'alt@example.org' })
  expect(envelope.data.kontakt_key).toBe(kontakt_key)
  await api.sql`delete from haushalte where kontakt_key = ${kontakt_key}`
  for (const query of ['+491713920001', '(0171) 3920001', '0171-392.00.01'])
    expect(await hintOf('search_leads', { query })).toContain('last four digits')
  expect(await hintOf('search_leads', { query: '0001' })).toBeUndefined()
})

test('a moment after the last appointment', async () => {
  expect(await hintOf('list_appointments', { from: '2027-01-01' })).toContain('`from`')
  expect(await hintOf('list_appointments', { from: '2026-01-01' })).toBeUndefined()
  const both = { from: '2027-01-01', status: 'Completed' }
  expect(await hintOf('list_appointments', both)).toContain('No appointment has this status')
})

test('a household that is asked for by the id of a lead', async () => {
  const { envelope } = await callTool(api, 'get_haushalt', { key: crypto.randomUUID() })
  expect(envelope.error.code).toBe('not_found')
  expect(envelope.error.message).toContain('Try the email of the lead, then its phone')
  const other = await callTool(api, 'get_haushalt', { key: 'keine@example.org' })
  expect(other.envelope.error.message).toBe('There is no household record under this key.')
})

test('a status that is spelled otherwise', async () => {
  expect(await hintOf('list_appointments', { status: 'COMPLETED' })).toContain('completed')
  expect(await hintOf('list_appointments', { status: 'completed' })).toBeUndefined()
  expect(await hintOf('list_appointments', { status: 'no_show' })).toBeUndefined()
})

test('an offset beyond the last entry', async () => {
  expect(await hintOf('list_kontakte', { offset: 1 })).toContain('offset')
  expect(await hintOf('list_kontakte', {})).toBeUndefined()
  expect(await hintOf('list_appointments', { offset: 9 })).toContain('offset')
})

test('a date alone begins at midnight in Germany, in winter and in summer', async () => {
  const starts = async (from: string) => {
    const { structured } = await callTool(api, 'list_appointments', { from })
    return structured.data.map((one: Message) => one.starts_at)
  }
  expect(await starts('2026-11-22')).toEqual(['2026-11-21T23:00:00+00:00'])
  expect(await starts('2026-07-02')).toHaveLength(3)
  expect(await starts('2026-07-03')).toHaveLength(2)
  for (const from of ['2026-02-30', '2026-11', '0000-01-01']) {
    const { isError, envelope } = await callTool(api, 'list_appointments', { from })
    expect([from, isError, envelope.error.code]).toEqual([from, true, 'invalid_request'])
  }
})
