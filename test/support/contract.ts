// Holds every response a test sees against the published document: status, headers, body.
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { buildOpenApi } from '../../src/rest/openapi.ts'
import { basePath, routes } from '../../src/rest/routes.ts'

type Json = Record<string, unknown>
type ResponseObject = { content: { 'application/json': { schema: Json } } }
type Operation = { responses: Record<string, ResponseObject> }

const document = buildOpenApi(routes, { baseUrl: 'http://test/api/v1', version: 'test' })
const paths = document.paths as Record<string, Record<string, Operation>>
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats(ajv)
ajv.addSchema({ $id: 'document', components: document.components as Json }, 'document')

const absolute = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))

const validators = new Map<string, ReturnType<typeof ajv.compile>>()

function validatorOf(path: string, method: string, status: string) {
  const key = `${method} ${path} ${status}`
  const schema = paths[path]?.[method]?.responses[status]?.content['application/json'].schema
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
