// kontakt_key(): every spelling of an identity becomes one key, what is no identity becomes none, a key is its own key,
// in every database and at once. phone_spellings has the forms of numbers.
import { expect, test } from 'bun:test'
import { migrateDatabase } from '../../src/cli/database.ts'
import {
  databaseUrl,
  dropDatabase,
  oneConnection,
  useDatabase,
} from '../support/database/database.ts'
import { oddText, seeded } from '../support/fuzz/seeded.ts'
import { keysOf as keysIn, phoneSpellings } from './identities.ts'

const database = useDatabase()
const keysOf = (texts: string[]) => keysIn(database.sql, texts)
const random = seeded(4)
const many = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, index) => make(index))
const oddTexts = (count: number) => many(count, () => oddText(random))

const uuid = '3f2b8c1e-9d4a-4b7e-8f6a-1c2d3e4f5a6b'
const list = (text: string) => text.split('¦').map(one => one.trim())

const spellings: Record<string, string[]> = {
  'email:erika@example.org': [
    ...list(`erika@example.org ¦ Erika@Example.ORG ¦ mailto:erika@example.org ¦ MAILTO:Erika@example.org
      ¦ email:erika@example.org ¦ Email: ERIKA@example.org ¦ email:mailto:erika@example.org ¦ erika@example.org.
      ¦ \u200Berika@exam\u00ADple.org\uFEFF ¦ ｅｒｉｋａ＠example．org`),
    ...[' erika@example.org\t\r\n', '\u00A0erika@example.org\u00A0'],
  ],
  'email:erika+kfz@example.org': ['Erika+KFZ@example.org'],
  'email:e.rika@gmail.com': ['e.rika@gmail.com'],
  // Another address than the one without the dot.
  'email:.erika@example.org': ['.Erika@example.org', '.erika@example.org...'],
  'email:anna@müller.example': list(
    'Anna@Müller.example ¦ anna@ｍüller.example ¦ email:anna@müller.example.',
  ),
  'email:xn--anna@example.org': ['xn--anna@example.org'],
  'email:jörg@müller.example': ['JÖRG@MÜLLER.example', 'jörg@müller.example'.normalize('NFD')],
  "email:o'brien@example.ie": ["O'Brien@example.ie"],
  'phone:+491713920001':
    list(`+491713920001 ¦ 0171 3920001 ¦ 0171-392 00 01 ¦ +49-0171-3920001 ¦ +0049 171 3920001
    ¦ +0049 (0)171 3920001 ¦ +00 49 171 / 3920001 ¦ (0)171 3920001 ¦ 0171/392/00/01 ¦ PHONE: 0171 3920001
    ¦ phone:tel:0171 3920001 ¦ ＋49 171 3920001 ¦ 0171 3920001 DW 7 ¦ 0171 3920001 Nst. 3 ¦ 49 (0)171 3920001
    ¦ (0049) 171 3920001 ¦ + 49 171 3920001 ¦ 1713920001`),
  'phone:+493023125000':
    list(`030 23125000 ¦ +49 30 23125-000 ¦ (030) 23 12 50 00 ¦ 0049 30 23125000 ¦ 49 30 23125000
    ¦ 490 30 23125000 ¦ (030) / 231 25 - 000`),
  'phone:+43664123456': list(
    '+43 664 123456 ¦ 0043 664 123456 ¦ +43 (0) 664 123456 ¦ +43 0664 123456',
  ),
  'phone:+41446681800': list('+41 44 668 18 00 ¦ +41 (0)44 668 18 00'),
  'phone:+12125550123': ['+1 (212) 555-0123'],
  // The national number 0491 is Leer's; only a mobile number loses a country code without a plus.
  'phone:+49491920001': list('0491 920001 ¦ +49 491 920001'),
  [`lead:${uuid}`]: [uuid, uuid.toUpperCase(), ` ${uuid} `, `LEAD: ${uuid.toUpperCase()}`],
}

test.each(Object.entries(spellings))(
  '%s has one key, however it is spelled',
  async (key, texts) => {
    const keys = await keysOf([key, ...texts])
    expect(texts.filter((_, index) => keys[index + 1] !== key)).toEqual([])
    expect(keys[0]).toBe(key)
  },
)

const noIdentity: Record<string, string[]> = {
  'an empty text': ['', ' ', '\n', '\u200B', 'email:', 'phone:', 'lead:', ':'],
  'no address': [
    ...list(`erika@ ¦ @example.org ¦ erika@example ¦ erika@@example.org ¦ erika@example..org ¦ erika@.example.org
      ¦ erika @example.org ¦ Erika <erika@example.org> ¦ erika@example.org, max@example.org ¦ "erika"@example.org
      ¦ erika@example.org;max@example.org ¦ erika@example.org?subject=Hallo ¦ erika@example/org.de
      ¦ erika\u2028@example.org ¦ erika\u0007@example.org ¦ erika@exam\u0085ple.org ¦ email:0171 3920001
      ¦ email:erika ¦ email:a:b@example.org`),
    `${'a'.repeat(250)}@example.org`,
  ],
  'no number':
    list(`erika ¦ 0171 ¦ 0171 39 ¦ +49 ¦ +0171 3920001 ¦ +49 171 3920001 3920001 3920001 ¦ ++491713920001
    ¦ O171 3920001 ¦ 0171 3920001 / 030 23125000 ¦ 0171 3920001, 030 23125000 ¦ 0171x3920001y ¦ phone:erika@example.org`),
  'two numbers in shorthand':
    list(`030 123456/57 ¦ 030 123456 / 57 ¦ 030/123456/57 ¦ (030) 12 34 56/57 ¦ +49 30 123456/57
    ¦ 0049 (0)30 123456 / -57 ¦ 04131 12345/6 ¦ 030 123456-57/58 ¦ 030 123456 (57) ¦ 0176-1234567/8 ¦ 0176 1234567 / 68
    ¦ +0049 176 1234567/8 ¦ +43 664 1234567/8`),
  'a service number':
    list(`0800 1234567 ¦ 0900 1234567 ¦ 0180 5123456 ¦ 0137 7123456 ¦ 0138 123456 ¦ 0700 12345678
    ¦ 118 118 ¦ 11880 ¦ 116 117 ¦ 110 ¦ 112 ¦ 115 ¦ +49 800 1234567`),
  'no UUID': [
    '17',
    uuid.slice(1),
    uuid.replaceAll('-', ''),
    `{${uuid}}`,
    `${uuid}0`,
    'email:erika@example.org',
  ].map(one => `lead:${one}`),
  'an unknown kind': ['fax:+491713920001', 'https://example.org', 'kunde:17', 'x:y:z'],
}

test.each(Object.entries(noIdentity))('%s has no key', async (_, texts) => {
  const keys = await keysOf(texts)
  expect(texts.filter((_, index) => keys[index] !== null)).toEqual([])
})

test('a key is its own key, however odd the text it was made of, and control characters have an answer', async () => {
  const control = many(31, n => String.fromCharCode(n + 1)).join('')
  const mixed = ['email:', 'phone:', 'lead:', '', '+49'].flatMap(kind => [
    kind + control,
    `${control}${kind}erika@example.org`,
    `${kind}0171${control}3920001`,
  ])
  const addresses = many(5_000, () => `${oddText(random)}@${oddText(random)}.example`)
  const phones = phoneSpellings(5, 5_000).map(({ text }) => text)
  const texts = [...oddTexts(10_000), ...addresses, ...phones, ...mixed]
  const keys = (await keysOf(texts)).filter(key => key !== null)
  expect(keys.length).toBeGreaterThan(3_000)
  expect(new Set(keys.map(key => key.slice(0, 5)))).toEqual(new Set(['email', 'phone', 'lead:']))
  expect(await keysOf(keys)).toEqual(keys)
})

// Everything but ideographs, Hangul, surrogates and private use; then letters that are other letters in disguise.
const everyCharacter = `
  select chr(code) as letter
  from (
    select generate_series(1, 13311) union all select generate_series(40960, 44031) union all
    select generate_series(63744, 65535) union all select generate_series(119808, 120831) union all
    select generate_series(127232, 127487)
  ) as codes (code)`

test('an address with any character has no key, or one that is its own key', async () => {
  const [row] = await database.sql.unsafe(`
    with keys as materialized (
      select letter, kontakt_key('a' || letter || 'b@x' || letter || 'y.example') as key
      from (${everyCharacter}) as characters
    )
    select count(key)::integer as keys, array_agg(letter) filter (where kontakt_key(key) is distinct from key) as moved
    from keys`)
  expect(row?.moved).toBeNull()
  expect(row?.keys).toBeGreaterThan(10_000)
})

test('what cannot be seen is not there: exactly what Unicode calls default ignorable', async () => {
  const ranges = [
    [1, 55_295],
    [57_344, 124_927],
    [917_504, 921_599],
  ] as const
  const codes = ranges.flatMap(([first, last]) => many(last - first + 1, n => first + n))
  const rows = await database.sql`
    select code from jsonb_array_elements_text(${JSON.stringify(codes)}::text::jsonb) as code
    where identity_text('a' || chr(code::integer) || 'b') = 'ab'`
  const isIgnorable = (code: number) =>
    /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code))
  expect(rows.map(row => Number(row.code))).toEqual(codes.filter(isIgnorable))
})

const pieces = [
  ...list(
    '0 ¦ +49 ¦ ( ¦ (0) ¦ ä ¦ \ufdfa ¦ ٣ ¦ x1 ¦ email: ¦ mailto: ¦ @ ¦ a@ ¦ a. ¦ .xn-- ¦ xn--a-b ¦ 😀 ¦ 1/ ¦ ext ¦ :',
  ),
  ...[' ', '0 ', '\u200b', ' x', '- ', '\u0301', '\u0001'],
]

test('a text of 100 KB has no key, within milliseconds', async () => {
  const sql = oneConnection(database.url)
  // Parsing and sending 100 KB is a few milliseconds of it; the rest of the time is for a busy machine.
  await sql`set statement_timeout = '200ms'`
  for (const piece of pieces) {
    const long = piece.repeat(100_000 / piece.length)
    for (const text of [long, `email:a@${long}.example`, `phone:+49171${long}`]) {
      const [row] = await sql`select kontakt_key(${text}) as key`
      expect([text.slice(0, 20), row?.key]).toEqual([text.slice(0, 20), null])
    }
  }
  await sql.end()
})

test('the longest address there is has a key, in any spelling of it', async () => {
  const address = `${'a'.repeat(63)}@${`${'b'.repeat(60)}.`.repeat(3)}example`
  expect(address).toHaveLength(254)
  const spelled = `  mailto:${[...address.toUpperCase()].join('\u200b')}  `
  const key = `email:${address}`
  expect(await keysOf([address, spelled, `a${address}`])).toEqual([key, key, null])
})

// Letters with one capital of their own: not ß, ı and their like, whose capitals are another letter's too, and not
// σ, which is ς at the end of a word. Of scripts that got no capitals lately: older ICU does not know those.
const paired = many(0x24ff, code => String.fromCodePoint(code + 0x41)).filter(letter => {
  const upper = letter.toUpperCase()
  const isKnown = /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Armenian}/u.test(
    letter,
  )
  const isPlain = letter !== 'σ' && letter.normalize('NFKC') === letter
  const isPair = upper.length === 1 && upper !== letter && upper.toLowerCase() === letter
  return isKnown && isPlain && isPair && !/[\u1c80-\u1cbf\u2000-\uffff]/.test(upper)
})

test('upper and lower case of an address have one key', async () => {
  expect(paired.length).toBeGreaterThan(400)
  const addresses = many(3_000, () => {
    const letters = random.below(3) ? paired.slice(0, 26) : paired
    const word = many(1 + random.below(12), () => random.of(letters)).join('')
    return `${word}.x+1@${word}.example`
  })
  const flip = (text: string) =>
    [...text].map(letter => (random.below(2) ? letter.toUpperCase() : letter)).join('')
  const keys = await keysOf(addresses)
  expect(keys).not.toContain(null)
  expect(await keysOf(addresses.map(flip))).toEqual(keys)
})

// Erasure finds leads and events by a hint of kontakt_key.
test('whatever has a key has one of its hints', async () => {
  const names = list('Erika ¦ erika.muster ¦ ÉRIKA ¦ o:x ¦ ｅｒｉｋａ ¦ a+b ¦ İnci ¦ I')
  const domains = list(
    'Example.org ¦ xn--mller-kva.example ¦ Müller.example ¦ a.example. ¦ ex\u00adample.org',
  )
  const around = [
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
    domains.flatMap(domain => around.map(one => one.replace('%', () => `${name}@${domain}`))),
  )
  const phones = phoneSpellings(18, 2_000).flatMap(({ text }) => [text, `phone: ${text}`])
  const texts = JSON.stringify([...addresses, ...phones, ...oddTexts(1_000)])
  const [found] = await database.sql`
    select count(key.key) as keys, array_agg(given.text) filter (where hint <> all (kontakt_key_hints(array[key.key]))) as missed
    from jsonb_array_elements_text(${texts}::text::jsonb) as given (text)
    cross join lateral (select kontakt_key(given.text) as key, kontakt_key_hint(given.text) as hint) as key
    where key.key is not null`
  expect(found?.keys).toBeGreaterThan(2_000)
  expect(found?.missed).toBeNull()
})

// In Turkish the small letter of I is ı: a rule that asked the database's own language would split people.
test('a key is the same in a database of another language', async () => {
  const name = `${database.name}_tr`
  await database.sql.unsafe(
    `create database ${name} template template0 encoding 'UTF8' locale_provider icu icu_locale 'tr-TR' locale 'C'`,
  )
  await migrateDatabase(databaseUrl(name))
  const turkish = oneConnection(databaseUrl(name))
  const texts = list(
    'INFO@ISIK.example ¦ EMAIL:I@İ.example ¦ MAILTO:I@x.example ¦ TEL: 0171 3920001 ¦ 0171 3920001 EXT 1',
  )
  texts.push(
    ...oddTexts(3_000),
    ...many(2_000, () => `${oddText(random)}@${oddText(random)}.example`),
  )
  const keys = await keysOf(texts)
  expect(keys[0]).toBe('email:info@isik.example')
  expect(keys.slice(0, 5)).not.toContain(null)
  expect(await keysIn(turkish, texts)).toEqual(keys)
  await turkish.end()
  await dropDatabase(name)
})
