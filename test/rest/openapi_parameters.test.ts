// The document says what the service does: what a parameter's schema allows is accepted, all else is 400.
import { beforeAll, describe, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import type { Json } from '../../src/api/http/json_schema.ts'
import { restRoutes } from '../../src/api/rest/routes.ts'
import {
  absolute,
  type Document,
  type DocumentedParameter,
  operationsOf,
} from '../support/http/document.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const ajv = addFormats(new Ajv2020({ allowUnionTypes: true }))
let document: Document

beforeAll(async () => {
  document = (await api.send('/openapi.json')).body
  ajv.addVocabulary(['components', 'discriminator', 'x-ogen-name'])
  ajv.addSchema({ $id: 'document', components: { schemas: document.components.schemas } })
})

/** A query carries text; it stands for a number or boolean only in the form JSON writes it. */
function meantBy(text: string, { type }: Json): unknown {
  if (type === 'integer' && String(Number(text)) === text) return Number(text)
  if (type === 'array') return text.split(',')
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

const allows = ({ schema }: DocumentedParameter, text: string) =>
  ajv.validate(absolute(schema), meantBy(text, schema)) as boolean

const texts = [
  ...['0', '1', '2', '50', '199', '200', '201', '999999', '1000000', '1000001'],
  ...['-1', '-0', '+1', '01', '1.0', '1.5', '1e2', '0x10', '١', '５', 'NaN', 'Infinity'],
  ...['9007199254740991', '9007199254740993', '9223372036854775808', '1'.repeat(200)],
  ...['true', 'false', 'True', 'yes', 'null', 'undefined', 'constructor'],
  ...['lead.created', 'lead.created,signal.opened', 'lead.created,', 'lead.deleted'],
  ...['lead.created,'.repeat(400).slice(0, -1)],
  ...['open', 'dismissed', 'done', 'resolved', 'OPEN', 'open ', 'closed'],
  ...['2026-03-01T09:00:00Z', '2026-03-01T09:00:00.123456+05:30', '2026-03-01T09:00:00+23:59'],
  ...['2024-02-29T00:00:00Z', '2026-02-29T00:00:00Z', '2026-03-01', '2026-03-01T24:00:00Z'],
  ...['', ' ', '%', "'", '"', '\\', "'; drop table leads; --", '$1', 'Müller', '😀'],
  ...['a'.repeat(254), 'a'.repeat(255), '😀'.repeat(254), '😀'.repeat(255)],
  ...['\n', 'a\tb', 'a\0b', '\u0085', '\u200b', 'a\ufffd'],
]

const queryParameters = () =>
  operationsOf(document).flatMap(({ path, operation }) =>
    operation.parameters
      .filter(parameter => parameter.in === 'query')
      .map(parameter => ({ path, parameter })),
  )

test('every query parameter agrees with its schema on every value of the table', async () => {
  const wrong: string[] = []
  expect(queryParameters().length).toBeGreaterThan(10)
  for (const { path, parameter } of queryParameters())
    for (const text of texts) {
      const reply = await api.send(`${path}?${parameter.name}=${encodeURIComponent(text)}`)
      // A cursor that this feed has not given out yet is refused, though it has the form of one.
      const beyondHead = parameter.name === 'after' && Number(text) > 0
      const expected = allows(parameter, text) && !beyondHead ? 200 : 400
      if (reply.status !== expected)
        wrong.push(`${path} ${parameter.name}=${JSON.stringify(text)}: ${reply.status}`)
    }
  expect(wrong).toEqual([])
})

test('the table holds values that are allowed and values that are not, for every parameter', () => {
  for (const { parameter } of queryParameters()) {
    expect(texts.some(text => allows(parameter, text))).toBe(true)
    expect(texts.some(text => !allows(parameter, text))).toBe(true)
  }
})

test('every default is what an absent parameter means', async () => {
  for (const { path, parameter } of queryParameters()) {
    const fallback = parameter.schema.default
    if (fallback === undefined) continue
    const absent = await api.send(path)
    const given = await api.send(`${path}?${parameter.name}=${fallback}`)
    expect(given.body).toEqual(absent.body)
  }
})

test('from is stricter than its format only where no calendar goes', async () => {
  for (const text of ['2016-12-31T23:59:60Z', '0000-01-01T00:00:00Z'])
    expect((await api.send(`/appointments?from=${text}`)).status).toBe(400)
})

describe('ids in paths', () => {
  const withIds = restRoutes.filter(({ path }) => /\{\w+Id\}/.test(path))

  test.each(withIds)('$operationId takes a UUID of either case and nothing else', async route => {
    const method = route.method.toLowerCase()
    const parameter = document.paths[route.path]?.[method]?.parameters[0] as DocumentedParameter
    const ids = [
      ...['01234567-89ab-cdef-0123-456789abcdef', '01234567-89AB-CDEF-0123-456789ABCDEF'],
      ...['0123456789abcdef0123456789abcdef', '{01234567-89ab-cdef-0123-456789abcdef}'],
      ...['01234567-89ab-cdef-0123-456789abcdeg', '1', 'null', ' ', "'", '%00', 'é'],
      ...['01234567-89ab-cdef-0123-456789abcde', '01234567-89ab-cdef-0123-456789abcdef0'],
      ...['001234567-89ab-cdef-0123-456789abcdef', 'a/01234567-89ab-cdef-0123-456789abcdef'],
    ]
    for (const id of ids) {
      const path = route.path.replace(/\{\w+\}/, encodeURIComponent(id))
      const reply = await api.send(path, { method: route.method })
      const expected = allows(parameter, id) ? [404, 'not_found'] : [400, 'invalid_id']
      expect([reply.status, reply.body.error.code]).toEqual(expected)
    }
  })
})

test('an empty key is refused, as its schema says', async () => {
  for (const path of ['/kontakte/', '/kontakte//haushalt']) {
    const reply = await api.send(path)
    expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_request'])
  }
})
