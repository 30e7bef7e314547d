// Holds every response a test sees against the published document: status and body.
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { apiDocument } from '../../../src/api/docs/document.ts'
import { basePath } from '../../../src/api/rest/routes.ts'
import { absolute, type Document as Published, withResponses } from './document.ts'

type Json = Record<string, unknown>
type ResponseObject = { content: { 'application/json': { schema: Json } } }
type Operation = { responses: Record<string, ResponseObject> }

/** The document lets members be added; today an answer has those that it names and no others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, closed(value)]),
  )
  return 'properties' in inner && inner.type === 'object'
    ? { additionalProperties: false, ...inner }
    : inner
}

const published = withResponses(apiDocument('http://test', 240) as Published)
// Tests emit events with data of their own; what triggers write is held against its schema where it is tested.
const freePayloads = Object.fromEntries(
  Object.keys(published.components.schemas)
    .filter(name => name.endsWith('Payload'))
    .map(name => [name, { type: 'object' }]),
)
const schemas = { ...published.components.schemas, ...freePayloads }
const document = { ...published, components: closed({ schemas }) as Json }
const paths = document.paths as unknown as Record<string, Record<string, Operation>>
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema({ $id: 'document', components: document.components }, 'document')

const validators = new Map<string, ReturnType<typeof ajv.compile>>()

function validatorOf(path: string, method: string, status: string) {
  const key = `${method} ${path} ${status}`
  const responses = paths[path]?.[method]?.responses
  const schema = responses?.[status]?.content['application/json'].schema
  if (!schema) throw new Error(`the document has no ${key}`)
  const found = validators.get(key) ?? ajv.compile(absolute(schema))
  validators.set(key, found)
  return found
}

const patterns = Object.keys(paths)
  .map(path => ({
    path,
    pattern: new RegExp(`^${basePath}${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .sort((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')))

/** Throws when a documented operation answered in a way the document does not describe. */
export function assertDocumented(method: string, url: string, status: number, body: unknown): void {
  const found = patterns.find(({ pattern }) => pattern.test(new URL(url).pathname))
  if (!found || !['GET', 'POST', 'DELETE'].includes(method)) return
  if (!paths[found.path]?.[method.toLowerCase()]) return
  const validate = validatorOf(found.path, method.toLowerCase(), String(status))
  if (!validate(body))
    throw new Error(`${method} ${found.path} ${status}: ${ajv.errorsText(validate.errors)}`)
}
