// Erasure finds leads and events by a hint of kontakt_key: whatever has a key has one of its hints.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { oddText, seeded } from '../support/fuzz/seeded.ts'
import { phoneSpellings } from './identities.ts'

const database = useDatabase()

const random = seeded(18)
const names = ['Erika', 'erika.muster', 'ÉRIKA', 'o:x', 'ｅｒｉｋａ', 'a+b', 'İnci', 'I']
const domains = [
  'Example.org',
  'xn--mller-kva.example',
  'Müller.example',
  'a.example.',
  'ex\u00adample.org',
]
const wrappings = [
  '%',
  ' %',
  'mailto:%',
  'Email: %',
  '\t%\n',
  '\u200b%',
  'MAILTO: %',
  'email:mailto:%',
]

const addresses = names.flatMap(name =>
  domains.flatMap(domain =>
    wrappings.map(around => around.replace('%', () => `${name}@${domain}`)),
  ),
)
const phones = phoneSpellings(18, 2_000).flatMap(({ text }) => [text, `phone: ${text}`])
const odd = Array.from({ length: 1_000 }, () => oddText(random))

test('every spelling has a hint of its key', async () => {
  const texts = [...addresses, ...phones, ...odd]
  const found = await database.sql`
    select count(key.key) as keys, array_agg(given.text) filter (where hint <> all (kontakt_key_hints(array[key.key]))) as missed
    from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) as given (text)
    cross join lateral (select kontakt_key(given.text) as key, kontakt_key_hint(given.text) as hint) as key
    where key.key is not null`
  expect(found[0]?.keys).toBeGreaterThan(2_000)
  expect(found[0]?.missed).toBeNull()
})

test('plain spellings have a hint that tells them apart, and what is none has none', async () => {
  const [row] = await database.sql`
    select kontakt_key_hint('mailto:Erika.M@example.org') as mail, kontakt_key_hint('0171 / 392 00-01') as phone,
      kontakt_key_hint('0171 392 00 01 ext. 2') as odd, kontakt_key_hint(null) as none,
      kontakt_key_hints('{email:erika.m@example.org,phone:+491713920001,lead:00000000-0000-8000-8000-000000000001}')::text as hints`
  expect(row).toEqual({
    mail: 'erika.m',
    phone: '20001',
    odd: '?',
    none: null,
    hints: '{20001,erika.m,?}',
  } as never)
})
