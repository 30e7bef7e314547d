// kontakt_key(): every spelling of an identity becomes one key, and what is no identity becomes none.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { rowsOf } from './rows.ts'

const database = useDatabase()

async function keyOf(identity: string) {
  const [row] = await rowsOf(database.sql, 'resolveKontaktKey', { identity })
  return row?.kontakt_key ?? null
}

const mobile = 'phone:+491713920001'
const mail = 'email:erika@example.org'
const uuid = '3f2b8c1e-9d4a-4b7e-8f6a-1c2d3e4f5a6b'

const spellings: Record<string, string[]> = {
  [mail]: [
    'erika@example.org',
    'Erika@Example.ORG',
    ' erika@example.org\t\r\n',
    'mailto:erika@example.org',
    'MAILTO:Erika@example.org',
    'email:erika@example.org',
    'Email: ERIKA@example.org',
    'email:mailto:erika@example.org',
    'erika@example.org.',
    '\u200Berika@exam\u00ADple.org\uFEFF',
    'ｅｒｉｋａ＠example．org',
    '\u00A0erika@example.org\u00A0',
  ],
  'email:erika+kfz@example.org': ['Erika+KFZ@example.org'],
  'email:e.rika@gmail.com': ['e.rika@gmail.com'],
  // Another address than the one without the dot.
  'email:.erika@example.org': ['.Erika@example.org', '.erika@example.org...'],
  'email:anna@müller.example': [
    'Anna@Müller.example',
    'anna@xn--mller-kva.example',
    'ANNA@XN--MLLER-KVA.EXAMPLE',
    'anna@ｍüller.example',
    'email:anna@xn--mller-kva.example.',
  ],
  'email:anna@büro.straße.example': ['anna@xn--bro-hoa.xn--strae-oqa.example'],
  'email:xn--anna@example.org': ['xn--anna@example.org'],
  'email:jörg@müller.example': ['JÖRG@MÜLLER.example', 'jörg@müller.example'.normalize('NFD')],
  "email:o'brien@example.ie": ["O'Brien@example.ie"],
  [mobile]: [
    '+491713920001',
    '0171 3920001',
    '0171/3920001',
    '0171-392 00 01',
    '(0171) 3920001',
    '0171.392.0001',
    '+49 171 3920001',
    '+49 (0)171 3920001',
    '+49 [0] 171 3920001',
    '+49(0)171/3920001',
    '(+49) 171 3920001',
    '+49-0171-3920001',
    '+490171 3920001',
    '0049 171 3920001',
    '+0049 171 3920001',
    '+0049 (0)171 3920001',
    '+00 49 171 / 3920001',
    '(0)171 3920001',
    '0171/392/00/01',
    '0049(0)171 3920001',
    '491713920001',
    '49 171 3920001',
    'tel:+49-171-3920001',
    'phone:+491713920001',
    'PHONE: 0171 3920001',
    'phone:tel:0171 3920001',
    '0171\u00A03920001',
    '0171 – 3920001',
    '0171‑3920001',
    '０１７１３９２０００１',
    '＋49 171 3920001',
    '\u202A+49 171 3920001\u202C',
    '0171 3920001 ext. 12',
    '0171 3920001 x12',
    '0171 3920001 Durchwahl 7',
    '0171 3920001 DW 7',
    '0171 3920001 App. 12',
    '0171 3920001 Nst. 3',
    '0171 3920001;ext=12',
    '0171 3920001#12',
    '٠١٧١ ٣٩٢٠٠٠١',
    '49 (0)171 3920001',
    '(0049) 171 3920001',
    '+ 49 171 3920001',
    '00 49 / 171 / 392 00 01',
    '0171  392  00  01',
    '0171\t3920001',
    '0171—3920001',
    '1713920001',
  ],
  'phone:+493023125000': [
    '030 23125000',
    '+49 30 23125-000',
    '(030) 23 12 50 00',
    '0049 30 23125000',
    '49 30 23125000',
    '490 30 23125000',
    '(030) / 231 25 - 000',
  ],
  'phone:+43664123456': [
    '+43 664 123456',
    '0043 664 123456',
    '+43 (0) 664 123456',
    '+43 0664 123456',
  ],
  'phone:+41446681800': ['+41 44 668 18 00', '+41 (0)44 668 18 00'],
  'phone:+12125550123': ['+1 (212) 555-0123'],
  'phone:+390612345678': ['+39 06 12345678'],
  // The national number 0491 is Leer's; only a mobile number loses a country code without a plus.
  'phone:+49491920001': ['0491 920001', '+49 491 920001'],
  [`lead:${uuid}`]: [
    uuid,
    uuid.toUpperCase(),
    ` ${uuid} `,
    `lead:${uuid}`,
    `LEAD: ${uuid.toUpperCase()}`,
  ],
}

test.each(Object.entries(spellings))(
  '%s has one key, however it is spelled',
  async (key, texts) => {
    for (const text of texts) expect([text, await keyOf(text)]).toEqual([text, key])
  },
)

test('a key is its own key: normalising twice changes nothing', async () => {
  for (const key of Object.keys(spellings)) expect([key, await keyOf(key)]).toEqual([key, key])
})

const noIdentity: Record<string, string[]> = {
  'an empty text': ['', ' ', '\n', '\u200B', 'email:', 'phone:', 'lead:', ':'],
  'no address': [
    'erika@',
    '@example.org',
    'erika@example',
    'erika@@example.org',
    'erika@example..org',
    'erika@.example.org',
    'erika @example.org',
    'Erika <erika@example.org>',
    'erika@example.org, max@example.org',
    'erika@example.org;max@example.org',
    '"erika"@example.org',
    `${'a'.repeat(250)}@example.org`,
    'erika@example.org?subject=Hallo',
    'erika@example/org.de',
    'erika\u2028@example.org',
    'erika\u0007@example.org',
    'erika@exam\u0085ple.org',
    'email:0171 3920001',
    'email:erika',
  ],
  'no number': [
    'erika',
    '0171',
    '0171 39',
    '+49',
    '+0171 3920001',
    '+49 171 3920001 3920001 3920001',
    '++491713920001',
    '0171 3920001 (privat)',
    'Tel.: 0171 3920001',
    'O171 3920001',
    '0171 3920001 / 030 23125000',
    '0171 3920001, 030 23125000',
    '0171x3920001y',
    'phone:erika@example.org',
  ],
  'two numbers in shorthand': [
    '030 123456/57',
    '030 123456 / 57',
    '030/123456/57',
    '(030) 12 34 56/57',
    '+49 30 123456/57',
    '0049 (0)30 123456 / -57',
    '04131 12345/6',
    '030 123456-57/58',
    '030 123456 (57)',
    '0176-1234567/8',
    '0176 1234567 / 68',
    '+0049 176 1234567/8',
    '+43 664 1234567/8',
  ],
  'a service number': [
    '0800 1234567',
    '0900 1234567',
    '0180 5123456',
    '0137 7123456',
    '0138 123456',
    '0700 12345678',
    '118 118',
    '11880',
    '116 117',
    '110',
    '112',
    '115',
    '+49 800 1234567',
  ],
  'no UUID': [
    'lead:17',
    `lead:${uuid.slice(1)}`,
    `lead:${uuid.replaceAll('-', '')}`,
    `lead:{${uuid}}`,
    `lead:${uuid}0`,
  ],
  'of an unknown kind': ['fax:+491713920001', 'https://example.org', 'kunde:17', 'x:y:z'],
}

test.each(Object.entries(noIdentity))('%s has no key', async (_, texts) => {
  for (const text of texts) expect([text, await keyOf(text)]).toEqual([text, null])
})

test('the kind ends at the first colon', async () => {
  expect(await keyOf('email:a:b@example.org')).toBeNull()
  expect(await keyOf('lead:email:erika@example.org')).toBeNull()
})

test('nothing has no key', async () => {
  const [row] = await database.sql`select kontakt_key(null) as key`
  expect(row?.key).toBeNull()
})

test('a long text is refused at once', async () => {
  for (const text of ['0'.repeat(100_000), `${'('.repeat(50_000)}@`, ' '.repeat(100_000)])
    expect(await keyOf(text)).toBeNull()
})
