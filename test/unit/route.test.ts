// A route finds the input of its operation in path and query; a tool converts its arguments to it.
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { tool } from '../../src/api/mcp/tool.ts'
import { readInput } from '../../src/api/rest/request.ts'
import { route } from '../../src/api/rest/route.ts'
import { operation } from '../../src/operations/operation.ts'
import { PageMeta } from '../../src/operations/pages.ts'
import { required, textParameter, uuidParameter } from '../../src/operations/parameters.ts'

const listNotes = operation({
  name: 'listNotes',
  scope: 'read:leads',
  input: {
    lead_id: required(uuidParameter('Id of the lead.')),
    search: textParameter('A part of it.'),
  },
  data: Type.Array(Type.String({ $id: 'Note' })),
  meta: PageMeta,
  run: async (_database, input) => ({ data: JSON.stringify(input), meta: { count: 0 } }),
})

const id = '00000000-0000-4000-8000-000000000017'
const notes = route(listNotes, { method: 'GET', path: '/leads/{leadId}/notes', summary: 'Notes' })
const read = (path: string) => readInput(notes, `http://host/api/v1${path}`)

const failureOf = (work: () => unknown): string => {
  try {
    return JSON.stringify(work())
  } catch (error) {
    return (error as Error).message
  }
}

test('what stands in the path goes by the name it has in the input, the rest is in the query', () => {
  expect(Object.keys(notes.query)).toEqual(['search'])
  expect(read(`/leads/${id}/notes?search=call`)).toEqual({ lead_id: id, search: 'call' })
  expect(read(`/leads/${id}/notes?lead_id=17`)).toEqual({ lead_id: id, search: null })
})

test('an error names the parameter as the path does, and the path is read before the query', () => {
  expect(failureOf(() => read('/leads/17/notes?search='))).toBe('leadId must be a UUID.')
})

test('a path that holds what the operation does not take is no route', () => {
  const wrong = { method: 'GET', path: '/notes/{noteId}', summary: 'A note' } as const
  expect(failureOf(() => route(listNotes, wrong))).toContain('the operation takes no note_id')
})

test('a tool with other arguments says how they make the input, and hints at why nothing was found', async () => {
  const search = tool(listNotes, {
    name: 'search_notes',
    title: 'Search notes',
    description: 'Notes.',
    takes: { query: required(textParameter('A part of it.')) },
    inputOf: ({ query }) => ({ lead_id: id, search: query }),
    hints: ({ query }) => [query === 'x' && 'too short'],
  })
  const answerTo = (query: string) => search.run({} as never, { query }, {} as never)
  expect(await answerTo('call')).toEqual({
    data: JSON.stringify({ lead_id: id, search: 'call' }),
    meta: { count: 0 },
  })
  expect((await answerTo('x')).meta).toEqual({ count: 0, hint: 'too short' })
  expect(search.scope).toBe('read:leads')
})

test('a tool whose arguments are not the input needs a conversion, or does not compile', () => {
  const described = { name: 'list_notes', title: 'Notes', description: 'Notes.' }
  // @ts-expect-error: lead_id is missing
  tool(listNotes, { ...described, takes: { search: listNotes.input.search } })
  tool(listNotes, { ...described, takes: listNotes.input })
})
