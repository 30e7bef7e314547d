// The API description of the service as it is published.
import { version } from '../../version.ts'
import { buildOpenApi } from './openapi.ts'
import { bodyExamples, examples } from './openapi_examples.ts'
import { basePath, routes } from './routes.ts'

/** Of a service that clients reach under `origin`. */
export const apiDocument = (origin: string) =>
  buildOpenApi(routes, { baseUrl: origin + basePath, version, examples, bodyExamples })
