// The API as a collection of requests, in the format 2.1 that Postman, Bruno, Insomnia and others read.
import { isObject, type Json } from '../http/json_schema.ts'
import { bodyExamples } from './openapi_examples.ts'
import { descriptionOf, tagOf } from './openapi_operation.ts'
import type { RestRoute } from './route.ts'
import { basePath, restRoutes } from './routes.ts'

const schema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

const variable = (key: string, value: string): Json => ({ key, value, type: 'string' })

/** `/leads/{leadId}` with the query of the route, each parameter switched off until it is wanted. */
function urlOf({ path, pathParameters, query }: RestRoute): Json {
  const segments = path.slice(1).replace(/\{(\w+)\}/g, ':$1')
  const disabled = Object.entries(query).map(
    ([
      key,
      {
        description,
        schema: { default: value },
      },
    ]) => ({
      ...{ key, value: value === undefined ? '' : String(value), description, disabled: true },
    }),
  )
  return {
    raw: `{{base}}/${segments}`,
    host: ['{{base}}'],
    path: segments.split('/'),
    query: disabled,
    variable: pathParameters.map(({ name: key, parameter: { description } }) => ({
      ...{ key, value: '', description },
    })),
  }
}

function requestOf(route: RestRoute): Json {
  const example = bodyExamples[route.name]
  return {
    name: route.summary,
    request: {
      method: route.method,
      description: `${descriptionOf(route)}\n\nScope: ${route.scope}`,
      url: urlOf(route),
      ...(isObject(example) && {
        header: [{ key: 'Content-Type', value: 'application/json' }],
        body: { mode: 'raw', raw: JSON.stringify(example, null, 2) },
      }),
    },
    response: [],
  }
}

/** Of a service that clients reach under `origin`. */
export const postmanCollection = (origin: string): Json => ({
  info: {
    name: 'Workspace Data API',
    description: `Set the variable key. The description of the API is at ${origin}/docs.`,
    schema,
  },
  auth: { type: 'bearer', bearer: [variable('token', '{{key}}')] },
  variable: [variable('base', origin + basePath), variable('key', '')],
  item: [...Map.groupBy(restRoutes, tagOf)].map(([name, group]) => ({
    name,
    item: group.map(requestOf),
  })),
})
