// Erasing in the dashboard without scripts: nothing goes before the key is typed again and the box ticked.
import { beforeEach, expect, test } from 'bun:test'
import { dashboardSettings, type Session, signIn, visitor } from '../support/dashboard.ts'
import * as factory from '../support/factory.ts'
import { useService } from '../support/service.ts'

const api = useService({ ...dashboardSettings, STATEMENT_TIMEOUT_MS: '1000' })
let session: Session
const path = '/dashboard/erasure'
const identity = 'Erika@Example.org'
const evil = '<script>alert(1)</script>'

beforeEach(async () => {
  await api.sql`truncate leads, event_outbox cascade`
  await factory.lead(api.sql, { name: evil, email: identity, phone: null })
  session = await signIn(api, 'en')
})

const leads = async () => (await api.sql`select id from leads`).length

test('the first form only looks', async () => {
  const found = await session.submit(path, { identity })
  expect([found.status, await leads()]).toEqual([200, 1])
  expect(found.text).toContain('email:erika@example.org')
  expect(found.text).toContain('<dt>Leads</dt><dd>1</dd>')
  expect(found.text).toContain('No webhook has received events')
})

test.each([
  ['the box is not ticked', { again: identity }, 'please tick the box'],
  ['the key is another one', { again: 'other@example.org', sure: 'yes' }, 'do not match'],
  ['the key is not typed again', { again: '', sure: 'yes' }, 'do not match'],
])('nothing goes when %s', async (_, fields, said) => {
  const answer = await session.submit(path, { identity, ...fields })
  expect([answer.status, await leads()]).toEqual([400, 1])
  expect(answer.text).toContain(said)
})

test('a form with NUL is a mistake, wherever it stands', async () => {
  for (const fields of [
    { identity: `${identity}\0` },
    { identity, again: `${identity}\0`, sure: 'yes' },
  ] as Record<string, string>[])
    expect((await session.submit(path, fields)).status).toBe(400)
  expect(await leads()).toBe(1)
})

test('a key with an expiry that is no choice is not made', async () => {
  for (const expires of ['9999999999', '1e308', '2026-13-45', 'toString'])
    expect(
      (await session.submit('/dashboard/keys', { label: 'x', scope: 'read:leads', expires }))
        .status,
    ).toBe(400)
  expect(await api.sql`select id from api_keys where label = 'x'`).toHaveLength(0)
})

test('with both it goes, once, and a second time there is nobody', async () => {
  const sure = { identity: ' erika@example.org', again: 'mailto:erika@EXAMPLE.org', sure: 'yes' }
  const erased = await session.submit(path, { ...sure, once: 'a' })
  expect([erased.status, await leads()]).toEqual([200, 0])
  expect(erased.text).toContain('<strong>Erased.</strong>')
  expect((await session.submit(path, { ...sure, once: 'a' })).status).toBe(403)
  const again = await session.submit(path, { ...sure, once: 'b' })
  expect(again.status).toBe(400)
  expect(again.text).toContain('Nothing is stored under this.')
})

test('neither a form of another site nor one without a session erases', async () => {
  const sure = { identity, again: identity, sure: 'yes' }
  expect((await session.post(path, sure)).status).toBe(403)
  const csrf = await session.csrf()
  const foreign = await session.post(path, { ...sure, csrf }, { origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  expect((await visitor(api).post(path, { ...sure, csrf })).status).toBe(303)
  expect(await leads()).toBe(1)
})

test('while a writer holds a lead of the person, nothing goes, and the page says why', async () => {
  const sure = { identity, again: identity, sure: 'yes' }
  await api.sql.begin(async transaction => {
    await transaction`update leads set status = 'won'`
    const { status, text } = await session.submit(path, sure)
    expect([status, text.includes('somebody is changing this person’s data')]).toEqual([503, true])
  })
  expect(await leads()).toBe(1)
  expect((await session.submit(path, sure)).status).toBe(200)
  expect(await leads()).toBe(0)
})

test('what was typed is shown as text', async () => {
  const { text, status } = await session.submit(path, { identity: `"${evil}` })
  expect(status).toBe(400)
  expect(text).not.toContain(evil)
})
