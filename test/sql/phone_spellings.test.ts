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
import { keysOf as keysIn, phoneSpellings, type Spelling } from './identities.ts'

const database = useDatabase()
const keysOf = (texts: string[]) => keysIn(database.sql, texts)

function libraryKey(text: string): string | null {
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'DE', extract: false })
  return number?.isPossible() ? `phone:${number.number}` : null
}

// Where no key, a country code without a plus, brackets, German words, prefixes and odd spaces part them.
const differences: ((spelling: Spelling) => boolean)[] = [
  // No key: a service number is no person's.
  ({ kind }) => kind === 'service number',
  // The library reads 0491, which is Leer; a number of East Frisia has no twelve digits.
  ({ kind, form }) => kind === 'mobile' && form === '49~A~R',
  ({ kind, form }) => kind === 'landline of a look-alike' && form === '49~A~R',
  // The library refuses brackets around the country code, German words for an extension, schemes, …
  ({ form }) => form === '(+49)~A~R',
  ({ form }) => ['0A~R Durchwahl 12', '0A~R App. 12'].includes(form),
  ({ form }) => ['tel:+49~A~R', 'phone:+49~A~R'].includes(form),
  // … spaces of typographers and of tables, and what is copied from a web page and cannot be seen.
  ({ spacing }) => ['\u2009', '\u202f', '\t'].includes(spacing),
  ({ spacing }) => spacing === 'marks of direction',
]

// Text around the number, and digits that are none.
const isNoNumber = ({ form, spacing, text }: Spelling) =>
  ['0A~R (privat)', 'Tel. 0A~R'].includes(form) || spacing === '_' || /O/.test(text)

test('20,000 German spellings have the key that libphonenumber gives them, but for the listed differences', async () => {
  const spellings = phoneSpellings(77_230, 20_000)
  const keys = await keysOf(spellings.map(({ text }) => text))
  const seen = differences.map(() => 0)
  const wrong = spellings.filter((spelling, index) => {
    const key = keys[index] ?? null
    const expected = libraryKey(spelling.text)
    if (isNoNumber(spelling)) return key !== null || expected !== null
    const [first = -1, ...others] = [...differences.keys()].filter(at =>
      differences[at]?.(spelling),
    )
    if (first === -1) return key !== expected
    seen[first] = (seen[first] ?? 0) + 1
    // Of two differences one may undo the other: a service number with a tab has no key with either.
    return others.length === 0 && key === expected
  })
  expect(wrong).toEqual([])
  expect(Math.min(...seen)).toBeGreaterThan(50)
})

// One spelling each, with what both make of it.
const cases: [text: string, key: string | null, library: string | null, why: string][] = [
  ['491713920001', '+491713920001', '+49491713920001', 'Leer would be 0491'],
  ['49 (0)171 3920001', '+491713920001', '+494901713920001', 'no area code is 0490'],
  ['490301234567', '+49301234567', '+49490301234567', 'no area code is 0490'],
  ['+490491713920001', '+49491713920001', '+49491713920001', 'a plus says what it is'],
  ['00171 3920001', null, null, 'America has ten digits: a zero too many'],
  ['+171 3920001', null, null, 'America has ten digits: a plus instead of the zero'],
  ['000491713920001', null, '+4900491713920001', 'a zero too many'],
  ['+0171 3920001', null, null, 'no country code begins with zero'],
  ['0171', null, '+490171', 'a network alone'],
  ['0110', null, '+490110', 'an emergency call'],
  ['116117', null, '+49116117', 'a service number'],
  ['030 231', null, '+4930231', 'fewer than six digits'],
  ['0301234567890123', null, '+49301234567890123', 'more digits than E.164 has'],
  ['0171~3920001', null, '+490171', 'a tilde separates nothing'],
  ['0171,3920001', null, '+490171', 'a comma separates nothing'],
  ['030 23125-0', '+4930231250', '+4930231250', 'no guess at extensions'],
  ['+48 (0)22 1234567', '+48221234567', '+480221234567', 'a zero dialled at home only'],
  ['+39 (0)6 69812345', '+390669812345', '+390669812345', 'Italy keeps its zero'],
  ['0039 06 69812345', '+390669812345', '+390669812345', 'Italy keeps its zero'],
  ['+36 06 20 1234567', '+3606201234567', '+36201234567', 'Hungary dials 06: not known here'],
  ['+7 8 912 3456789', '+789123456789', '+79123456789', 'Russia dials 8: not known here'],
  ['+210 12345678', '+21012345678', null, 'countries get new codes: none is refused'],
]

test.each(cases)('%p becomes %p, and %p with the library: %s', async (text, ...both) => {
  const [key, library] = both.slice(0, 2).map(number => number && `phone:${number}`)
  expect([...(await keysOf([text])), libraryKey(text)]).toEqual([key ?? null, library ?? null])
})

const foreign = getCountries().map(country => ({
  code: getCountryCallingCode(country),
  number: String(getExampleNumber(country, examples)?.nationalNumber),
}))
// Tristan da Cunha and Tokelau have numbers of four digits; a key has six after the code, or eight in all.
const isTooShort = ({ code, number }: (typeof foreign)[number]) => code.length + number.length < 8

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
    const texts = foreign.map(({ code, number }) => write(code, number))
    expect(await keysOf(texts)).toEqual(
      texts.map((text, index) => (isTooShort(foreign[index] as never) ? null : libraryKey(text))),
    )
  },
)

test('a zero behind a country code goes exactly where the library drops it', async () => {
  const keys = await keysOf(foreign.map(({ code, number }) => `+${code} 0${number}`))
  const drops = ({ code, number }: (typeof foreign)[number]) =>
    libraryKey(`+${code} 0${number}`) === `phone:+${code}${number}`
  expect(foreign.filter(drops).length).toBeGreaterThan(100)
  const dropped = foreign.filter(({ code, number }, at) => keys[at] === `phone:+${code}${number}`)
  expect(dropped).toEqual(foreign.filter(drops))
})

test('a zero in brackets behind a country code goes, but where numbers keep it', async () => {
  const keeping = ['39', '378', '225', '229', '241', '242']
  const others = foreign.filter(one => !keeping.includes(one.code) && !isTooShort(one))
  expect(await keysOf(others.map(({ code, number }) => `+${code} (0)${number}`))).toEqual(
    others.map(({ code, number }) => `phone:+${code}${number}`),
  )
  expect(await keysOf(keeping.map(code => `+${code} (0)612345678`))).toEqual(
    keeping.map(code => `phone:+${code}0612345678`),
  )
})
