// Path and query are read strictly, each value by its parameter; messages never repeat what was sent. test/rest has the
// refusals with their messages, and every parameter held against its schema.
import { expect, test } from 'bun:test'
import { readInput, readQuery } from '../../src/api/rest/input.ts'
import type { Database } from '../../src/db/database.ts'
import { contract } from '../../src/operations/contract.ts'
import { listOf, offsetMax } from '../../src/operations/operation.ts'

type Operation = keyof typeof contract
const fox = '🦊'
const percent = encodeURIComponent

/** What an operation reads from a query, or the code and the message of the refusal. */
function read(name: Operation, query: string): unknown {
  try {
    return readQuery(query, contract[name].query).input
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return `${code} ${message}`
  }
}

test.each<[Operation, query: string, read: object]>([
  ['listLeads', '', { limit: 50 }],
  ['listEvents', '&&', { limit: 100 }],
  ['listLeads', '%6Cimit=%31%30&offset=1000000', { limit: 10, offset: 1_000_000 }],
  ['listLeads', 'include_archived=true&search=', { include_archived: true, search: null }],
  ['listLeads', 'search=M%C3%BCller+%25_%5C', { search: 'Müller %_\\' }],
  ['listLeads', 'search=%2541', { search: '%41' }],
  ['listLeads', 'search=a=b', { search: 'a=b' }],
  ['listLeads', `search=${percent(fox.repeat(254))}`, { search: fox.repeat(254) }],
  ['listEvents', 'after=9007199254740991', { after: Number.MAX_SAFE_INTEGER }],
  [
    'listEvents',
    'types=lead.created,signal.opened&types=lead.created',
    { types: ['lead.created', 'signal.opened'] },
  ],
  [
    'listEvents',
    `types=${'lead.created,'.repeat(2_000)}signal.opened`,
    { types: ['lead.created', 'signal.opened'] },
  ],
])('%s takes %.60s: %.80j', (operation, query, expected) => {
  expect(read(operation, query)).toMatchObject(expected)
})

// [query, names of what is ignored: a name once, the first ten, cut at forty characters, escaped]
test.each<[string, string[]]>([
  ['stauts=new&page=2&page=3&Limit=5', ['stauts', 'page', 'Limit']],
  ['limit[]=5&types%5B0%5D=x', ['limit%5B%5D', 'types%5B0%5D']],
  [
    '__proto__=x&constructor=y&a%0D%0Ab=1&%C3%BC=2',
    ['__proto__', 'constructor', 'a%0D%0Ab', '%C3%BC'],
  ],
  [percent(fox.repeat(60)), [percent(fox.repeat(40))]],
  [[...'abcdefghijklm'].join('&'), [...'abcdefghij']],
])('%.60s ignores what there is not, and names it', (query, names) => {
  expect(readQuery(query, contract.listLeads.query).ignored).toEqual(names)
})

test('the path is read before the query, by the names that it has', () => {
  const id = '00000000-0000-4000-8000-000000000017'
  const readPath = (name: 'getLead' | 'getKontakt', path: string) =>
    readInput(contract[name], `http://host/api/v1${path}`).input
  expect(readPath('getLead', `/leads/${id}?lead_id=17`)).toEqual({ lead_id: id })
  expect(() => readPath('getLead', '/leads/17?%FF')).toThrow('leadId must be a UUID.')
  expect(readPath('getKontakt', '/kontakte/%2541')).toEqual({ key: '%41' })
  for (const bad of ['%', '%FF', '%00', '%ED%A0%80', '%EF%BF%BD', 'a'.repeat(3_073)])
    expect(() => readPath('getKontakt', `/kontakte/${bad}`)).toThrow('key ')
})

test.each<[limit: number, offset: number, count: number, next: number | undefined]>([
  [100, 0, 99, undefined],
  [100, 0, 100, 100],
  [100, offsetMax - 100, 100, offsetMax],
  [100, offsetMax - 99, 100, undefined],
  [1, offsetMax, 1, undefined],
])(
  'of pages of %i the one at %i, with %i entries, leads to %p',
  async (limit, offset, count, next) => {
    const database = {
      json: async () => ({ count, json: Buffer.from('[]') }),
    } as unknown as Database
    const filters = { status: null, search: null, include_archived: false }
    const answer = await listOf('listLeads')(database, { ...filters, limit, offset })
    expect(answer.next?.offset).toBe(next)
    // What it leads to is no refusal.
    expect(read('listLeads', `offset=${next ?? 0}`)).toHaveProperty('offset')
  },
)
