// A route finds the input of its operation in path and query.
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
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
