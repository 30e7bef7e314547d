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

/** What stands before the number and around its area code. */
export const forms: Record<string, (area: string, rest: string) => string> = {
  '0171 …': (area, rest) => `0${area}~${rest}`,
  '(0171) …': (area, rest) => `(0${area})~${rest}`,
  '+49 171 …': (area, rest) => `+49~${area}~${rest}`,
  '0049 171 …': (area, rest) => `0049~${area}~${rest}`,
  '00 49 171 …': (area, rest) => `00~49~${area}~${rest}`,
  '(+49) 171 …': (area, rest) => `(+49)~${area}~${rest}`,
  '+49 (171) …': (area, rest) => `+49~(${area})~${rest}`,
  '+49 (0)171 …': (area, rest) => `+49~(0)${area}~${rest}`,
  '+49 (0) 171 …': (area, rest) => `+49~(0)~${area}~${rest}`,
  '+49 (0171) …': (area, rest) => `+49~(0${area})~${rest}`,
  '0049 (0)171 …': (area, rest) => `0049~(0)${area}~${rest}`,
  '+49 [0] 171 …': (area, rest) => `+49~[0]~${area}~${rest}`,
  '+49 0171 …': (area, rest) => `+49~0${area}~${rest}`,
  '49 171 …': (area, rest) => `49~${area}~${rest}`,
  '171 …': (area, rest) => `${area}~${rest}`,
  '0171 … ext. 12': (area, rest) => `0${area}~${rest} ext. 12`,
  '0171 … x12': (area, rest) => `0${area}~${rest} x12`,
  '0171 …;ext=12': (area, rest) => `0${area}~${rest};ext=12`,
  '0171 …#12': (area, rest) => `0${area}~${rest}#12`,
  '0171 … Durchwahl 12': (area, rest) => `0${area}~${rest} Durchwahl 12`,
  '0171 … App. 12': (area, rest) => `0${area}~${rest} App. 12`,
  'tel:+49171…': (area, rest) => `tel:+49~${area}~${rest}`,
  'phone:+49171…': (area, rest) => `phone:+49~${area}~${rest}`,
  '0171 … (privat)': (area, rest) => `0${area}~${rest} (privat)`,
  'Tel. 0171 …': (area, rest) => `Tel. 0${area}~${rest}`,
}

const between = (separator: string) => (text: string) => text.replaceAll('~', separator)
const groups = (separator: string) => (text: string) =>
  text
    .replaceAll('~', separator)
    .replace(/\d{4,}$/, digits => digits.replace(/\d\d(?=\d)/g, `$&${separator}`))
const digitsFrom = (zero: number) => (text: string) =>
  text.replaceAll('~', ' ').replace(/\d/g, digit => String.fromCodePoint(zero + Number(digit)))

/** What separates the parts; `~` marks where. */
const spacings: Record<string, (text: string) => string> = {
  nothing: between(''),
  'a space': between(' '),
  'two spaces': between('  '),
  'pairs of digits': groups(' '),
  'pairs of digits with dots': groups('.'),
  'a hyphen': between('-'),
  'a hyphen with spaces': between(' - '),
  'a slash': between('/'),
  'a slash with spaces': between(' / '),
  'two slashes': between('//'),
  'a dot': between('.'),
  'a no-break space': between('\u00a0'),
  'an ideographic space': between('\u3000'),
  'a no-break hyphen': between('\u2011'),
  'an en dash': between('\u2013'),
  'an em dash with spaces': between(' \u2014 '),
  'a minus sign': between('\u2212'),
  'a full-width hyphen': between('\uff0d'),
  'full-width digits': digitsFrom(0xff10),
  'Arabic digits': digitsFrom(0x0660),
  'a thin space': between('\u2009'),
  'a narrow no-break space': between('\u202f'),
  'a tab': between('\t'),
  'a zero-width space': between('\u200b'),
  'a soft hyphen': between('\u00ad'),
  'marks of direction': text => `\u202a${text.replaceAll('~', ' ')}\u202c`,
  'an underscore': between('_'),
  'a letter': text => text.replaceAll('~', ' ').replace(/0(?=\d*$)/, 'O'),
}

const named = <Value>(random: Random, from: Record<string, Value>): [string, Value] =>
  random.of(Object.entries(from))

/** Any kind in any form with any spacing; the same seed gives the same spellings. */
export function phoneSpellings(seed: number, count: number): Spelling[] {
  const random = seeded(seed)
  return Array.from({ length: count }, () => {
    const [kind, parts] = named(random, kinds)
    const [form, write] = named(random, forms)
    const [spacing, space] = named(random, spacings)
    return { text: space(write(...parts(random))), kind, form, spacing }
  })
}
