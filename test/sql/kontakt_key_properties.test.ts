// What holds for kontakt_key() whatever it is given: it answers, at once, and a key is its own key.
import { expect, test } from 'bun:test'
import { oneConnection, useDatabase } from '../support/database/database.ts'
import { oddText, seeded } from '../support/fuzz/seeded.ts'
import { keysOf, phoneSpellings } from './identities.ts'

const database = useDatabase()

const random = seeded(4)
const mash = () => oddText(random)

test('a key is its own key, however odd the text it was made of', async () => {
  const texts = [
    ...Array.from({ length: 10_000 }, mash),
    ...Array.from({ length: 5_000 }, () => `${mash()}@${mash()}.example`),
    ...phoneSpellings(5, 5_000).map(({ text }) => text),
  ]
  const keys = (await keysOf(database.sql, texts)).filter(key => key !== null)
  expect(keys.length).toBeGreaterThan(3_000)
  expect(new Set(keys.map(key => key.slice(0, 5)))).toEqual(new Set(['email', 'phone', 'lead:']))
  expect(await keysOf(database.sql, keys)).toEqual(keys)
})

test('no letter at the ends of an address is taken for a space around it', async () => {
  const addresses = [...'abcdefghijklmnopqrstuvwxyz0123456789'].map(
    letter => `${letter}@x.${letter}`,
  )
  expect(await keysOf(database.sql, addresses)).toEqual(
    addresses.map(address => `email:${address}`),
  )
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
  const rows = await database.sql`
    select code
    from (select generate_series(1, 55295) union all select generate_series(57344, 124927) union all select generate_series(917504, 921599)) as codes (code)
    where identity_text('a' || chr(code) || 'b') = 'ab'
    order by code`
  const gone = rows.map(row => Number(row.code))
  const ignorable = [
    [1, 55_295],
    [57_344, 124_927],
    [917_504, 921_599],
  ]
    .flatMap(([first = 0, last = 0]) =>
      Array.from({ length: last - first + 1 }, (_, n) => first + n),
    )
    .filter(code => /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code)))
  expect(gone).toEqual(ignorable)
})

test('every text has an answer, with control characters and half a code too', async () => {
  const control = Array.from({ length: 31 }, (_, n) => String.fromCharCode(n + 1)).join('')
  const texts = ['email:', 'phone:', 'lead:', '', '+49'].flatMap(kind => [
    kind + control,
    `${control}${kind}erika@example.org`,
    `${kind}erika${control}@example.org`,
    `${kind}0171${control}3920001`,
  ])
  expect(await keysOf(database.sql, texts)).toHaveLength(texts.length)
  expect(await keysOf(database.sql, Array.from({ length: 3_000 }, mash))).toHaveLength(3_000)
})

const long = (piece: string) => piece.repeat(Math.ceil(100_000 / piece.length))

test('a text of 100 KB has no key, within milliseconds', async () => {
  const texts = [
    ...[
      '0',
      '+49',
      '(',
      ' ',
      '(0)',
      '0 ',
      'ä',
      '\u200b',
      '\ufdfa',
      '٣',
      'x1',
      ' x',
      '- ',
      'email:',
      'mailto:',
      '@',
    ],
    ...['a@', 'a.', '.xn--', 'xn--a-b', '\u0301', '😀', '\u0001', '1/', 'ext', ':'],
  ].flatMap(piece => [long(piece), `email:a@${long(piece)}.example`, `phone:+49171${long(piece)}`])
  const sql = oneConnection(database.url)
  try {
    // Parsing and sending 100 KB is a few milliseconds of it; the rest of the time is for a busy machine.
    await sql`set statement_timeout = '200ms'`
    for (const text of texts) {
      const [row] = await sql`select kontakt_key(${text}) as key`
      expect([text.slice(0, 20), row?.key]).toEqual([text.slice(0, 20), null])
    }
  } finally {
    await sql.end()
  }
})

test('the longest address there is has a key, in any spelling of it', async () => {
  const address = `${'a'.repeat(63)}@${`${'b'.repeat(60)}.`.repeat(3)}example`
  expect(address).toHaveLength(254)
  const spelled = `  mailto:${[...address.toUpperCase()].join('\u200b')}  `
  expect(await keysOf(database.sql, [address, spelled, `a${address}`])).toEqual([
    `email:${address}`,
    `email:${address}`,
    null,
  ])
})

// Letters with one capital of their own: not ß, ı and their like, whose capitals are another letter's too, and not
// σ, which is ς at the end of a word. Of scripts that got no capitals lately: older ICU does not know those.
const paired = Array.from({ length: 0x24ff }, (_, code) =>
  String.fromCodePoint(code + 0x41),
).filter(
  letter =>
    /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Armenian}/u.test(letter) &&
    letter !== 'σ' &&
    letter.normalize('NFKC') === letter &&
    letter.toUpperCase().length === 1 &&
    !/[\u1c80-\u1cbf\u2000-\uffff]/.test(letter.toUpperCase()) &&
    letter.toUpperCase() !== letter &&
    letter.toUpperCase().toLowerCase() === letter,
)

test('upper and lower case of an address have one key', async () => {
  expect(paired.length).toBeGreaterThan(400)
  const words = Array.from({ length: 3_000 }, () =>
    Array.from({ length: 1 + random.below(12) }, () =>
      random.of(random.below(3) ? paired.slice(0, 26) : paired),
    ).join(''),
  )
  const flip = (text: string) =>
    [...text].map(letter => (random.below(2) ? letter.toUpperCase() : letter)).join('')
  const addresses = words.map(word => `${word}.x+1@${word}.example`)
  const keys = await keysOf(database.sql, addresses)
  expect(keys.filter(key => key === null)).toEqual([])
  expect(await keysOf(database.sql, addresses.map(flip))).toEqual(keys)
})
