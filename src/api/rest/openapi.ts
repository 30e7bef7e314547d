// The OpenAPI 3.1 document, made from the route registry.

import { attemptsMax, finalFailuresMax } from '../../model/delivery_rules.ts'
import { silentChanges } from '../../model/event_meaning.ts'
import type { Json } from '../http/json_schema.ts'
import { componentsFor } from './openapi_components.ts'
import { errorMessagesFor } from './openapi_errors.ts'
import introduction from './openapi_introduction.md' with { type: 'text' }
import { describeOperation, type Shared, tagOf } from './openapi_operation.ts'
import { describeWebhooks } from './openapi_webhooks.ts'
import type { RestRoute } from './route.ts'

export type DocumentOptions = {
  /** The base URL, ending in /api/v1. */
  baseUrl: string
  version: string
  /** Requests granted to one key in a window. */
  permitsMax: number
  /** Example answers by operationId. */
  examples?: Record<string, unknown>
  /** Example bodies by operationId. */
  bodyExamples?: Record<string, unknown>
}

const tagDescriptions: Record<string, string> = {
  leads: 'People who may become customers, and the needs analyses of their conversations.',
  kontakte:
    'Contacts: one person, whatever email addresses and phone numbers they used, with their household record.',
  appointments: 'Appointments with customers, past and to come.',
  meetings: 'What was found and agreed in a meeting.',
  signals: 'Sales signals (Vertriebsimpulse). Their scope is opt-in.',
  events: 'The event feed: every event in order, to be followed by cursor.',
  hooks: 'Webhook subscriptions. Their scope is a right to data outflow: grant it sparingly.',
  schemas: 'The schemas that analyses and households are written in.',
  webhooks: 'What is sent to a receiver, by event type, and when each fires.',
}

const silent = silentChanges.map(({ resource, changes }) => `- ${resource}: ${changes}.`).join('\n')

const describe = (origin: string, permitsMax: number): string =>
  introduction
    .replaceAll('{origin}', origin)
    .replace('{permitsMax}', String(permitsMax))
    .replace('{silentChanges}', silent)
    .replace('{attemptsMax}', String(attemptsMax))
    .replace('{finalFailuresMax}', String(finalFailuresMax))

const describedTag = (name: string) => ({ name, description: tagDescriptions[name] ?? name })

function pathsOf(routes: RestRoute[], options: DocumentOptions, shared: Shared) {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const example = options.examples?.[route.name]
    const bodyExample = options.bodyExamples?.[route.name]
    const described = describeOperation(route, { example, bodyExample }, shared)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: described }
  }
  return paths
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1)

/** The whole document; serialise once. */
export function buildOpenApi(routes: RestRoute[], options: DocumentOptions): Json {
  const { permitsMax } = options
  const messages = errorMessagesFor(permitsMax)
  const shared: Shared = { schemas: new Map(), responses: {}, messages }
  const paths = pathsOf(routes, options, shared)
  const hooks = describeWebhooks(shared.schemas)
  const components = componentsFor(permitsMax)
  const origin = options.baseUrl.replace(/\/api\/v1$/, '')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Workspace Data API',
      version: options.version,
      summary:
        "Read access to one insurance-broker workspace for the workspace's own integrations.",
      description: describe(origin, permitsMax),
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The owner of the workspace', url: origin },
    },
    servers: [{ url: options.baseUrl }],
    tags: [...new Set(routes.map(tagOf)), 'webhooks'].map(describedTag),
    paths,
    webhooks: hooks,
    components: {
      ...components,
      responses: shared.responses,
      schemas: {
        ...Object.fromEntries([...shared.schemas].sort(byName)),
        ...components.schemas,
      },
    },
  }
}
