// What is sent to receivers, as OpenAPI 3.1 `webhooks`: one per event type, with its payload and headers.

import { attemptsMax, finalFailuresMax } from '../../model/delivery_rules.ts'
import { publishedEvents, schemaName } from '../../model/event.ts'
import { eventMeanings } from '../../model/event_meaning.ts'
import { type EventType, eventTypes } from '../../model/event_type.ts'
import examples from '../../model/sample_events.json' with { type: 'json' }
import { type Json, type NamedSchemas, toJsonSchema } from '../http/json_schema.ts'

const seconds = 'Unix seconds of this attempt. Refuse what is more than a few minutes off.'

const header = (name: string, example: string, description: string): Json => ({
  ...{ name, in: 'header', required: true },
  ...{ description, schema: { type: 'string' }, example },
})

const headers = [
  header(
    'X-Service-Signature',
    `v1=${'0123456789abcdef'.repeat(4)}`,
    'HMAC-SHA256 in lower-case hex over `<X-Service-Timestamp>.<raw body>`; its key is the signing secret as shown, `whsec_` included. Compare in constant time.',
  ),
  header('X-Service-Timestamp', '1772356200', seconds),
  header(
    'webhook-id',
    '2c3d4e5f-6071-4283-94a5-b6c7d8e9f0a1',
    'The event `id`, the same at every attempt.',
  ),
  header('webhook-timestamp', '1772356200', seconds),
  header(
    'webhook-signature',
    `v1,${'A'.repeat(43)}=`,
    'As Standard Webhooks has it, over `<webhook-id>.<webhook-timestamp>.<raw body>`; one signature per live secret, separated by spaces.',
  ),
  header(
    'traceparent',
    '00-2c3d4e5f6071428394a5b6c7d8e9f0a1-b7ad6b7169203331-01',
    'W3C Trace Context: the trace is the event `id` without its hyphens, the span this attempt.',
  ),
  {
    ...header('X-Service-Cursor', '4711', 'Of the event in the feed. A test delivery has none.'),
    required: false,
  },
]

const triedAgain = {
  description: `Tried again later, up to ${attemptsMax} attempts; \`Retry-After\` is honoured.`,
}

// What the service makes of an answer (spec 6, delivery rules 2 to 4).
const responses: Json = {
  '2XX': { description: 'Delivered.' },
  '3XX': { description: 'Never followed: a final failure.' },
  '429': triedAgain,
  '4XX': {
    description: `A final failure. After ${finalFailuresMax} in a row the subscription is paused.`,
  },
  '5XX': triedAgain,
}

/** What GET /hooks/sample shows. */
const exampleOf = (type: EventType) => examples.find(({ event_type }) => event_type === type)

const webhookOf = (type: EventType, schemas: NamedSchemas): Json => ({
  post: {
    operationId: `receive${schemaName(type)}`,
    summary: eventMeanings[type].title,
    description: eventMeanings[type].when,
    tags: ['webhooks'],
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: toJsonSchema(publishedEvents[type], schemas),
          example: exampleOf(type),
        },
      },
    },
    responses,
  },
})

export const describeWebhooks = (schemas: NamedSchemas): Json =>
  Object.fromEntries(eventTypes.map(type => [type, webhookOf(type, schemas)]))
