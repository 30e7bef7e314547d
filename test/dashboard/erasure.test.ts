// Erasing in the dashboard without scripts: nothing goes before the key is typed again and the box ticked.
import { beforeEach, expect, test } from 'bun:test'
import { dashboardSettings, type Session, signIn, visitor } from '../support/browser/dashboard.ts'
import { emptyFeed } from '../support/database/empty_feed.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService({ ...dashboardSettings, STATEMENT_TIMEOUT_MS: '1000' })
let session: Session
const path = '/dashboard/erasure'
const identity = 'Erika@Example.org'
const evil = '<script>alert(1)</script>'

beforeEach(async () => {
  await api.sql`delete from leads`
  await emptyFeed(api.sql)
  await factory.lead(api.sql, { name: evil, email: identity, phone: null })
  session = await signIn(api, 'en')
})

const leads = async () => (await api.sql`select id from leads`).length

test('the first form tells who it is, the second what is stored, and both only look', async () => {
  const who = await session.submit(path, { identity })
  expect([who.status, await leads()]).toEqual([200, 1])
  expect(who.text).toContain('E-mail: erika@example.org')
  expect(who.text).toContain('Leads of this person: 1')
  expect(who.text).not.toContain(evil)
  const found = await session.submit(path, { identity, all: 'yes' })
  expect([found.status, await leads()]).toEqual([200, 1])
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

test('a number that two people share stands for both, which is said; an address stands for one', async () => {
  const phone = '0171 392 00 99'
  await api.sql`update leads set phone = ${phone}`
  await factory.lead(api.sql, { name: 'Max', email: 'max@example.org', phone })
  const both = 'Several e-mail addresses belong to this'
  for (const fields of [{ identity: phone }, { identity: phone, all: 'yes' }]) {
    const { text } = await session.submit(path, fields as Record<string, string>)
    expect([text.includes(both), text.includes('E-mail: max@example.org')]).toEqual([true, true])
  }
  const one = await session.submit(path, { identity, all: 'yes' })
  expect([one.text.includes(both), one.text.includes('max@example.org')]).toEqual([false, false])
  expect(one.text).toContain('Another person has these as well')
  await session.submit(path, { identity, again: identity, sure: 'yes' })
  expect((await api.sql`select name from leads`).map(({ name }) => name)).toEqual(['Max'])
})

test('of a merged contact every address finds all, and the page says why', async () => {
  await factory.lead(api.sql, { name: 'Max', email: 'max@example.org', phone: null })
  await api.sql`select merge_kontakte('max@example.org', ${identity})`
  const { text } = await session.submit(path, { identity, all: 'yes' })
  expect(text).toContain('they are merged into one contact')
  expect([...text.matchAll(/E-mail: \w+@example\.org/g)]).toHaveLength(2)
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

test('of who carries no lead the rest is looked for all the same', async () => {
  await factory.haushalt(api.sql, { kontakt_key: 'email:alone@example.org' })
  const alone = { identity: 'alone@example.org' }
  expect((await session.submit(path, alone)).text).toContain('No lead carries this.')
  const found = await session.submit(path, { ...alone, all: 'yes' })
  expect(found.text).toContain('<dt>Household profiles</dt><dd>1</dd>')
  const unknown = await session.submit(path, { identity: 'nobody@example.org', all: 'yes' })
  expect([unknown.status, unknown.text.includes('No person found with this.')]).toEqual([400, true])
})

test('a lead that had the address once stays, and can be searched for from the report', async () => {
  const [lead] = await api.sql`select id from leads`
  await factory.signal(api.sql, { lead_id: lead?.id, kontakt_key: 'email:old@example.org' })
  const found = await session.submit(path, { identity: 'old@example.org', all: 'yes' })
  expect(found.text).toContain('Perhaps the same person')
  expect(found.text).toContain(`<input type="hidden" name="identity" value="${lead?.id}">`)
  const next = await session.submit(path, { identity: String(lead?.id) })
  expect(next.text).toContain('E-mail: erika@example.org')
})

test('with both it goes, once, and a second time there is no such person', async () => {
  const sure = { identity: ' erika@example.org', again: 'mailto:erika@EXAMPLE.org', sure: 'yes' }
  const erased = await session.submit(path, { ...sure, once: 'a' })
  expect([erased.status, await leads()]).toEqual([200, 0])
  expect(erased.text).toContain('<strong>Erased.</strong>')
  const reloaded = await session.submit(path, { ...sure, once: 'a' })
  expect(reloaded.status).toBe(403)
  expect(reloaded.text).toContain('<h1>This has already been done</h1>')
  expect(reloaded.text).toContain(
    'The person’s data has been erased. The report is not shown again.',
  )
  const again = await session.submit(path, { ...sure, once: 'b' })
  expect(again.status).toBe(400)
  expect(again.text).toContain('No person found with this.')
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
    expect([status, text.includes('this person’s data is being changed')]).toEqual([503, true])
  })
  expect(await leads()).toBe(1)
  expect((await session.submit(path, sure)).status).toBe(200)
  expect(await leads()).toBe(0)
})

test('when a webhook received something is said once where it was one event', async () => {
  const { id } = await factory.hook(api.sql, { label: 'CRM' })
  const about = { object_id: 'thing', data: { name: 'Erika', email: identity } }
  for (const cursor of [1, 2]) {
    await factory.event(api.sql, { cursor, ...about })
    await factory.attempt(api.sql, { subscription_id: id, cursor })
    const { text } = await session.submit(path, { identity, all: 'yes' })
    const [, period = ''] = /<td data-name="When">(.*?)<\/td>/.exec(text) ?? []
    expect(period.match(/<time /g)).toHaveLength(cursor)
  }
})

test('what was typed is shown as text', async () => {
  const { text, status } = await session.submit(path, { identity: `"${evil}` })
  expect(status).toBe(400)
  expect(text).not.toContain(evil)
})
