// The phone rule against libphonenumber, on thousands of German spellings and on foreign numbers. Where the two
// differ, the difference is listed with its reason; a listed difference that is gone fails as well.
import { expect, test } from 'bun:test'
import examples from 'libphonenumber-js/examples.mobile.json'
import {
  getCountries,
  getCountryCallingCode,
  getExampleNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import { useDatabase } from '../support/database/database.ts'
import { keysOf as keysOfAll, phoneSpellings, type Spelling } from './identities.ts'

const database = useDatabase()

const keysOf = (texts: string[]) => keysOfAll(database.sql, texts)

function libraryKey(text: string): string | null {
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'DE', extract: false })
  return number?.isPossible() ? `phone:${number.number}` : null
}

type Difference = { why: string; kinds?: string[]; forms?: string[]; spacings?: string[] }

const differences: Difference[] = [
  { why: 'no key: a service number is no person’s', kinds: ['service number'] },
  {
    why: 'the country code without a plus; the library reads 0491, which is Leer',
    kinds: ['mobile'],
    forms: ['49 171 …'],
  },
  {
    why: 'the country code without a plus; a number of East Frisia has no twelve digits',
    kinds: ['landline of a look-alike'],
    forms: ['49 171 …'],
  },
  { why: 'brackets around the country code; the library refuses', forms: ['(+49) 171 …'] },
  {
    why: 'a German word for an extension; the library refuses',
    forms: ['0171 … Durchwahl 12', '0171 … App. 12'],
  },
  {
    why: 'a scheme or our own prefix; the library refuses',
    forms: ['tel:+49171…', 'phone:+49171…'],
  },
  {
    why: 'a space of typographers or of tables; the library refuses',
    spacings: ['a thin space', 'a narrow no-break space', 'a tab'],
  },
  {
    why: 'invisible, copied from a web page; the library refuses',
    spacings: ['marks of direction'],
  },
]

const has = (names: string[] | undefined, name: string) => !names || names.includes(name)
const applies = ({ kinds, forms, spacings }: Difference, spelling: Spelling) =>
  has(kinds, spelling.kind) && has(forms, spelling.form) && has(spacings, spelling.spacing)

// Text around the number, and digits that are none.
const isNoNumber = ({ form, spacing, text }: Spelling) =>
  ['0171 … (privat)', 'Tel. 0171 …'].includes(form) || spacing === 'an underscore' || /O/.test(text)

test('20,000 German spellings have the key that libphonenumber gives them, but for the listed differences', async () => {
  const spellings = phoneSpellings(77_230, 20_000)
  const keys = await keysOf(spellings.map(({ text }) => text))
  const unlisted: unknown[] = []
  const gone: unknown[] = []
  const seen = new Map(differences.map(({ why }) => [why, 0]))
  for (const [index, spelling] of spellings.entries()) {
    const key = keys[index] ?? null
    const expected = libraryKey(spelling.text)
    const [first, ...others] = differences.filter(difference => applies(difference, spelling))
    if (isNoNumber(spelling))
      expect([spelling.text, key, expected]).toEqual([spelling.text, null, null])
    else if (!first && key !== expected) unlisted.push({ ...spelling, key, expected })
    // Of two differences one may undo the other: a service number with a tab has no key with either.
    else if (first && others.length === 0) {
      if (key === expected) gone.push({ ...spelling, key })
      seen.set(first.why, (seen.get(first.why) ?? 0) + 1)
    }
  }
  expect(unlisted).toEqual([])
  expect(gone).toEqual([])
  expect([...seen].filter(([, count]) => count < 50)).toEqual([])
})

// One spelling each, with what both make of it.
const cases: [text: string, key: string | null, library: string | null, why: string][] = [
  ['491713920001', 'phone:+491713920001', 'phone:+49491713920001', 'Leer would be 0491'],
  ['49 (0)171 3920001', 'phone:+491713920001', 'phone:+494901713920001', 'no area code is 0490'],
  ['490301234567', 'phone:+49301234567', 'phone:+49490301234567', 'no area code is 0490'],
  ['+490491713920001', 'phone:+49491713920001', 'phone:+49491713920001', 'a plus says what it is'],
  ['00171 3920001', null, null, 'America has ten digits: a zero too many'],
  ['+171 3920001', null, null, 'America has ten digits: a plus instead of the zero'],
  ['000491713920001', null, 'phone:+4900491713920001', 'a zero too many'],
  ['+0171 3920001', null, null, 'no country code begins with zero'],
  ['0171', null, 'phone:+490171', 'a network alone'],
  ['110', null, null, 'an emergency call'],
  ['0110', null, 'phone:+490110', 'an emergency call'],
  ['116117', null, 'phone:+49116117', 'a service number'],
  ['030 231', null, 'phone:+4930231', 'fewer than six digits'],
  ['0301234567890123', null, 'phone:+49301234567890123', 'more digits than E.164 has'],
  ['0171~3920001', null, 'phone:+490171', 'a tilde separates nothing'],
  ['0171,3920001', null, 'phone:+490171', 'a comma separates nothing'],
  ['030 23125-0', 'phone:+4930231250', 'phone:+4930231250', 'no guess at extensions'],
  ['+48 (0)22 1234567', 'phone:+48221234567', 'phone:+480221234567', 'a zero dialled at home only'],
  ['+39 (0)6 69812345', 'phone:+390669812345', 'phone:+390669812345', 'Italy keeps its zero'],
  ['+39 06 69812345', 'phone:+390669812345', 'phone:+390669812345', 'Italy keeps its zero'],
  ['0039 06 69812345', 'phone:+390669812345', 'phone:+390669812345', 'Italy keeps its zero'],
  [
    '+36 06 20 1234567',
    'phone:+3606201234567',
    'phone:+36201234567',
    'Hungary dials 06: not known here',
  ],
  [
    '+7 8 912 3456789',
    'phone:+789123456789',
    'phone:+79123456789',
    'Russia dials 8: not known here',
  ],
  ['+210 12345678', 'phone:+21012345678', null, 'countries get new codes: none is refused'],
]

test.each(cases)('%p becomes %p, and %p with the library: %s', async (text, key, library) => {
  expect([await keysOf([text]), libraryKey(text)]).toEqual([[key], library])
})

const foreignExamples = getCountries().map(country => ({
  code: getCountryCallingCode(country),
  number: String(getExampleNumber(country, examples)?.nationalNumber),
}))

/** The codes for whose numbers the rule and the library differ, with what each makes of one. */
async function differencesOf(write: (code: string, number: string) => string) {
  const texts = foreignExamples.map(({ code, number }) => write(code, number))
  const keys = await keysOf(texts)
  return texts
    .map((text, index) => [text, keys[index] ?? null, libraryKey(text)])
    .filter(([, key, expected]) => key !== expected)
}

test.each([
  ['+43 664…', (code: string, number: string) => `+${code} ${number}`],
  ['0043664…', (code: string, number: string) => `00${code}${number}`],
  [
    '0043-664/…',
    (code: string, number: string) => `00${code}-${number.slice(0, 3)}/${number.slice(3)}`,
  ],
])(
  'numbers of every country written %s become what the library makes of them',
  async (_, write) => {
    // Tristan da Cunha and Tokelau have numbers of four digits; a key has six after the code, or eight in all.
    const tooShort = foreignExamples
      .filter(({ code, number }) => code.length + number.length < 8)
      .map(({ code, number }) => [write(code, number), null, `phone:+${code}${number}`])
    expect(await differencesOf(write)).toEqual(tooShort)
  },
)

test('a zero behind a country code goes exactly where the library drops it', async () => {
  const drops = (code: string, number: string) =>
    libraryKey(`+${code} 0${number}`) === `phone:+${code}${number}`
  const keys = await keysOf(foreignExamples.map(({ code, number }) => `+${code} 0${number}`))
  const dropped = foreignExamples.map(({ code, number }) => drops(code, number))
  expect(dropped.filter(Boolean).length).toBeGreaterThan(100)
  expect(
    foreignExamples.filter(
      ({ code, number }, index) => (keys[index] === `phone:+${code}${number}`) !== dropped[index],
    ),
  ).toEqual([])
})

test('a zero in brackets behind a country code goes, but where numbers keep it', async () => {
  const keeping = ['39', '378', '225', '229', '241', '242']
  const others = foreignExamples.filter(
    ({ code, number }) => !keeping.includes(code) && code.length + number.length >= 8,
  )
  expect(await keysOf(others.map(({ code, number }) => `+${code} (0)${number}`))).toEqual(
    others.map(({ code, number }) => `phone:+${code}${number}`),
  )
  expect(await keysOf(keeping.map(code => `+${code} (0)612345678`))).toEqual(
    keeping.map(code => `phone:+${code}0612345678`),
  )
})
