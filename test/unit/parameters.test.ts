// Path and query are read strictly, each value by its parameter; messages never repeat what was sent.
import { expect, test } from 'bun:test'
import { readInput, readQuery } from '../../src/api/rest/input.ts'
import { ApiError } from '../../src/errors.ts'
import { contract } from '../../src/operations/contract.ts'

/** What an operation reads from a query, or `CODE NAME …` of the refusal. */
function read(name: keyof typeof contract, query: string): unknown {
  try {
    return readQuery(query, contract[name].query).input
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.code} ${error.message}`
  }
}

const fox = '🦊'
const percent = encodeURIComponent

// [operation, query, the parameter, its value]
const taken: [keyof typeof contract, string, string, unknown][] = [
  ['listLeads', '', 'limit', 50],
  ['listEvents', '&&', 'limit', 100],
  ...['1', '50', '200'].map(
    text => ['listLeads', `limit=${text}`, 'limit', Number(text)] as (typeof taken)[number],
  ),
  ['listLeads', '%6Cimit=%31%30', 'limit', 10],
  ['listLeads', 'offset=1000000', 'offset', 1_000_000],
  ['listLeads', 'include_archived=true', 'include_archived', true],
  ['listLeads', 'include_archived=false', 'include_archived', false],
  ['listLeads', 'search=', 'search', null],
  ['listLeads', 'search=M%C3%BCller+%25_%5C', 'search', 'Müller %_\\'],
  ['listLeads', 'search=%2541', 'search', '%41'],
  ['listLeads', 'search=a=b', 'search', 'a=b'],
  ['listLeads', `search=${'a'.repeat(254)}`, 'search', 'a'.repeat(254)],
  ['listLeads', `search=${percent(fox.repeat(254))}`, 'search', fox.repeat(254)],
  ['listSignals', 'status=open', 'status', 'open'],
  ['listKontakte', 'include=haushalt', 'include', 'haushalt'],
  ['listEvents', 'after=9007199254740991', 'after', Number.MAX_SAFE_INTEGER],
  ['listEvents', 'types=lead.created', 'types', ['lead.created']],
  ...[
    'types=lead.created,signal.opened',
    'types=lead.created&types=signal.opened',
    'types=lead.created,signal.opened&types=lead.created',
    `types=${'lead.created,'.repeat(2_000)}signal.opened`,
  ].map(
    query =>
      ['listEvents', query, 'types', ['lead.created', 'signal.opened']] as (typeof taken)[number],
  ),
]

test.each(taken)('%s takes %s: %s is %j', (operation, query, name, value) => {
  expect(read(operation, query)).toMatchObject({ [name]: value })
})

const badIntegers = [
  ...['0', '201', '0x10', '0b11', '1e2', '+5', '%2B5', '-1', '-0', '01', '1.0', '1,000', '1_0'],
  ...['%205', '5%20', '5%0A', '%EF%BC%95', '%D9%A5', 'NaN', 'Infinity', 'null', ''],
  ...['9007199254740992', '99999999999999999999999999'],
]
const badTexts = [
  ...['a'.repeat(255), percent(fox.repeat(255)), 'a%00b', 'a%0Ab', 'a%0A', '%09', '%7F', '%C2%85'],
  ...['%ED%A0%80', '%C0%AF', '%E2%82', '%EF%BF%BD', '\ufffd'],
]

// [operation, parameter, texts that it refuses, code]
const refused: [keyof typeof contract, string, string[], string][] = [
  ['listLeads', 'limit', badIntegers, 'invalid_request'],
  ['listLeads', 'offset', ['1000001', '9223372036854775808', '-1', ''], 'invalid_request'],
  [
    'listLeads',
    'include_archived',
    ['1', '0', 'True', 'FALSE', 'yes', '%20true', 'constructor', '__proto__', ''],
    'invalid_request',
  ],
  ['listLeads', 'search', badTexts, 'invalid_request'],
  ['listSignals', 'status', ['Open', 'open%20', 'open,done', 'constructor', ''], 'invalid_request'],
  ['listKontakte', 'include', ['haushalte', 'haushalt,leads', ''], 'invalid_request'],
  ['listAppointments', 'lead_id', ['17', '', '{x}', 'a'.repeat(36)], 'invalid_id'],
  ['listEvents', 'after', ['-1', '1.0', '01', '9007199254740992', '', '%zz'], 'invalid_cursor'],
  ['listEvents', 'types', ['lead.deleted', 'lead.created,', ',', '', '%E4'], 'invalid_types'],
  ['listSampleEvents', 'type', ['lead.deleted', '', 'toString'], 'unknown_event_type'],
]

test.each(refused)('%s refuses bad values of %s', (operation, name, texts, code) => {
  for (const text of texts)
    expect([text, read(operation, `${name}=${text}`)]).toEqual([
      text,
      expect.stringMatching(new RegExp(`^${code} ${name} must `)),
    ])
})

test('messages say what is right', () => {
  expect(read('listLeads', 'limit=SECRET')).toBe(
    'invalid_request limit must be a whole number from 1 to 200, in plain decimal digits.',
  )
})

test.each(['limit=5&limit=5', 'limit=5&%6Cimit=6', 'limit=5&limit'])(
  'a parameter given twice is refused: %s',
  query => {
    expect(read('listLeads', query)).toBe('invalid_request limit must be given once.')
  },
)

test.each([
  ...['%FF=1', '%=1', 'a%00=1', 'page=%FF', 'page=100%', 'page=a%00', 'page=%EF%BF%BD'],
  ...['search=100%', 'search=%zz'],
])('what no text can be is refused: %s', query => {
  expect(read('listLeads', query)).toStartWith('invalid_request The query must ')
})

// [query, names of what is ignored: a name once, the first ten, cut at forty characters, escaped]
const ignored: [string, string[]][] = [
  ['limit=5&search=', []],
  ['stauts=new&page=2&page=3&Limit=5', ['stauts', 'page', 'Limit']],
  ['limit[]=5&types%5B0%5D=x', ['limit%5B%5D', 'types%5B0%5D']],
  ['__proto__=x&constructor=y', ['__proto__', 'constructor']],
  ['a%0D%0Ab=1&%C3%BC=2', ['a%0D%0Ab', '%C3%BC']],
  [percent(fox.repeat(60)), [percent(fox.repeat(40))]],
  [[...'abcdefghijklm'].join('&'), [...'abcdefghij']],
]

test.each(ignored)('%s ignores what there is not, and names it', (query, names) => {
  expect(readQuery(query, contract.listLeads.query).ignored).toEqual(names)
})

const id = '00000000-0000-4000-8000-000000000017'
const read2 = (name: 'getLead' | 'getKontakt', path: string) =>
  readInput(contract[name], `http://host/api/v1${path}`).input

test('the path is read before the query, by the names that it has', () => {
  expect(read2('getLead', `/leads/${id}?lead_id=17`)).toEqual({ lead_id: id })
  expect(() => read2('getLead', '/leads/17?%FF')).toThrow('leadId must be a UUID.')
  expect(read2('getKontakt', '/kontakte/email%3Aa%40b.de')).toEqual({ key: 'email:a@b.de' })
  expect(read2('getKontakt', '/kontakte/%2541')).toEqual({ key: '%41' })
  for (const bad of ['%', '%FF', '%00', '%ED%A0%80', '%EF%BF%BD', 'a'.repeat(3_073)])
    expect(() => read2('getKontakt', `/kontakte/${bad}`)).toThrow('key ')
})

test('a text refuses half a character, which a tool argument can carry', () => {
  expect(contract.listLeads.parameters.search.parse('a\ud800')).toBeUndefined()
})
