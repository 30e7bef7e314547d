// The API description of the service as it is published.
import { version } from '../../version.ts'
import { buildOpenApi } from './openapi.ts'
import { bodyExamples, examples } from './openapi_examples.ts'
import { basePath, restRoutes } from './routes.ts'

/** Of a service that clients reach under `origin` and that grants a key `permitsMax` requests in a window. */
export const apiDocument = (origin: string, permitsMax: number) =>
  buildOpenApi(restRoutes, {
    baseUrl: origin + basePath,
    version,
    permitsMax,
    examples,
    bodyExamples,
  })
