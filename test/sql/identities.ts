// What tests of identities have in common: keys of many texts, merges, and German numbers in the ways people spell them.
import type { Sql } from '../../src/db/connect.ts'
import { type Random, seeded } from '../support/fuzz/seeded.ts'

/** The keys of many texts in one statement. */
export async function keysOf(sql: Sql, texts: string[]): Promise<(string | null)[]> {
  const rows = await sql`
    select kontakt_key(texts.text) as key
    from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) with ordinality as texts (text, place)
    order by texts.place`
  return rows.map(row => row.key)
}

export async function merge(sql: Sql, alias_key: string, canonical_key: string): Promise<boolean> {
  const [row] = await sql`select merge_kontakte(${alias_key}, ${canonical_key}) as changed`
  return row?.changed
}

export async function aliases(sql: Sql): Promise<string[]> {
  const rows =
    await sql`select alias_key || ' > ' || canonical_key as pair from kontakt_aliases order by alias_key`
  return rows.map(row => row.pair)
}

export async function events(sql: Sql): Promise<[string, string, Record<string, unknown>][]> {
  const rows = await sql`select event_type, object_id, data::text from events order by log_id`
  return rows.map(row => [row.event_type, row.object_id, JSON.parse(row.data)])
}

export type Spelling = { text: string; kind: string; form: string; spacing: string }

/** Area code or network, and the rest, as they are dialled behind the zero. */
type Parts = [area: string, rest: string]

const rest = (random: Random, count: number) =>
  String(1 + random.below(9)) + random.digits(count - 1)

const kinds: Record<string, (random: Random) => Parts> = {
  mobile: random => [
    random.of(['151', '152', '157', '159', '160', '162', '163', '170', '171', '174', '176', '179']),
    rest(random, 7 + random.below(2)),
  ],
  'landline of a city': random => [
    random.of(['30', '40', '69', '89', '821', '911']),
    rest(random, 6 + random.below(2)),
  ],
  // Behind 49, their area codes read as 04922, 04934, 04951 and so on.
  'landline of a look-alike': random => {
    const area = random.of(['221', '341', '511', '711', '34295', '33203', '35873'])
    return [area, rest(random, 10 - area.length)]
  },
  'landline of a village': random => [
    random.of(['3641', '5141', '2151', '8421', '33203', '34295', '35873']),
    rest(random, 4),
  ],
  'landline of East Frisia': random => [
    random.of(['491', '4921', '4931', '4953', '4977']),
    rest(random, 4 + random.below(2)),
  ],
  'service number': random => [random.of(['800', '900', '180', '137', '700']), random.digits(7)],
}

/** What stands before the number and around its area code A. */
const forms =
  `0A~R | (0A)~R | +49~A~R | 0049~A~R | 00~49~A~R | (+49)~A~R | +49~(A)~R | +49~(0)A~R | +49~(0)~A~R
  | +49~(0A)~R | 0049~(0)A~R | +49~[0]~A~R | +49~0A~R | 49~A~R | A~R | 0A~R ext. 12 | 0A~R x12 | 0A~R;ext=12 | 0A~R#12
  | 0A~R Durchwahl 12 | 0A~R App. 12 | tel:+49~A~R | phone:+49~A~R | 0A~R (privat) | Tel. 0A~R`.split(
    /\s+\| /,
  )

const between = (separator: string) => (text: string) => text.replaceAll('~', separator)
const groups = (separator: string) => (text: string) =>
  between(separator)(text).replace(/\d{4,}$/, digits =>
    digits.replace(/\d\d(?=\d)/g, `$&${separator}`),
  )
const digitsFrom = (zero: number) => (text: string) =>
  between(' ')(text).replace(/\d/g, digit => String.fromCodePoint(zero + Number(digit)))

const separators = [
  ...['', ' ', '  ', '-', ' - ', '/', ' / ', '//', '.', '\t', '_', '\u00a0', '\u3000', '\u2011'],
  ...['\u2013', ' \u2014 ', '\u2212', '\uff0d', '\u2009', '\u202f', '\u200b', '\u00ad'],
]
/** What separates the parts, or is done to the digits; `~` marks where. */
const spacings: [name: string, space: (text: string) => string][] = [
  ...separators.map((one): [string, (text: string) => string] => [one, between(one)]),
  ['pairs of digits', groups(' ')],
  ['pairs of digits with dots', groups('.')],
  ['full-width digits', digitsFrom(0xff10)],
  ['Arabic digits', digitsFrom(0x0660)],
  ['marks of direction', text => `\u202a${between(' ')(text)}\u202c`],
  ['a letter', text => between(' ')(text).replace(/0(?=\d*$)/, 'O')],
]

/** Any kind in any form with any spacing; the same seed gives the same spellings. */
export function phoneSpellings(seed: number, count: number): Spelling[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => {
    const [kind, parts] = random.of(Object.entries(kinds))
    const form = random.of(forms)
    const [spacing, space] = random.of(spacings)
    const [area, rest] = parts(random)
    return { text: space(form.replace('A', area).replace('R', rest)), kind, form, spacing }
  })
}
