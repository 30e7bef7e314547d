// The OpenAPI 3.1 document, made from the route registry.
import { silentChanges } from '../../model/event_meaning.ts'
import { basePath, routes } from '../../operations/contract.ts'
import { version } from '../../version.ts'
import type { Json, NamedSchemas } from '../http/json_schema.ts'
import { describeOperation } from './operation.ts'
import { errorSchemas, sharedHeaders, sharedSecurity } from './responses.ts'
import { describeWebhooks } from './webhooks.ts'

const silent = silentChanges.map(({ resource, changes }) => `- ${resource}: ${changes}.`).join('\n')

const tagDescriptions: Record<string, string> = {
  leads: 'People who may become customers, and the needs analyses of their conversations.',
  kontakte:
    'Contacts: one person, whatever email addresses and phone numbers they used, with their household record.',
  appointments: 'Appointments with customers, past and to come.',
  meetings: 'Meetings with customers, by the id of their appointment.',
  signals: 'Sales signals (Vertriebsimpulse). Their scope is opt-in.',
  events: `Every change in order, at least once.

These changes send no event:

${silent}`,
  hooks: 'Webhook subscriptions. Their scope is a right to data outflow: grant it sparingly.',
  schemas: 'The schemas that analyses and households are written in.',
  webhooks: `What is sent to the \`target_url\` of every active subscription that lists the type: at least once, in no certain order. De-duplicate by \`id\` and answer 2xx within 15 seconds. A test delivery has the header \`webhook-test: true\`.

Verify the bytes as they came, before parsing: \`X-Service-Signature\` is \`v1=\` and the HMAC-SHA256 in lower-case hex over \`<X-Service-Timestamp>.<raw body>\`. The key is the signing secret as shown, \`whsec_\` included. Libraries of [Standard Webhooks](https://www.standardwebhooks.com) verify the other three headers.`,
}

function pathsOf(schemas: NamedSchemas): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, schemas),
    }
  return paths
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1)

/** Of a service that clients reach under `origin` and that grants a key `permitsMax` requests in a window. */
export function apiDocument(origin: string, permitsMax: number): Json {
  const schemas: NamedSchemas = new Map(Object.entries(errorSchemas))
  const paths = pathsOf(schemas)
  const webhooks = describeWebhooks(schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Workspace Data API',
      version,
      // The reader's page holds it unescaped: one plain sentence, without quotes.
      description:
        'Read access to the data of one insurance-broker workspace, with an event feed and signed webhooks.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The owner of the workspace' },
    },
    servers: [{ url: origin + basePath }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: sharedSecurity,
      headers: sharedHeaders(permitsMax),
      schemas: Object.fromEntries([...schemas].sort(byName)),
    },
  }
}
