// The event catalog and the error reference, made from what serves: types, payloads, codes, messages.

import { toJsonSchema } from '../src/api/http/json_schema.ts'
import { type ErrorCode, errorCodes, errorStatus } from '../src/errors.ts'
import { payloads } from '../src/model/event.ts'
import { eventMeanings, silentChanges } from '../src/model/event_meaning.ts'
import { type EventType, eventTypes, schemaVersions } from '../src/model/event_type.ts'
import examples from '../src/model/sample_events.json' with { type: 'json' }

type Schema = { type?: string | string[]; format?: string; enum?: string[]; items?: Schema }

function typeOf({ type, format, enum: values, items }: Schema): string {
  if (values) return values.map(value => `\`${value}\``).join(', ')
  const [name = 'any', ...others] = [type ?? 'any'].flat()
  const inner = name === 'array' && items ? `array of ${typeOf(items)}` : (format ?? name)
  return [inner, ...others].join(' or ')
}

// Types whose events are about a second kind of object.
const otherObjects: Partial<Record<EventType, string>> = { 'din.check_completed': 'haushalt' }

const objectTypesOf = (type: EventType, shown = ''): string =>
  [shown, otherObjects[type]].flatMap(name => (name ? `\`${name}\`` : [])).join(' or ')

function eventRow(type: EventType): string {
  const { properties } = toJsonSchema(payloads[type]) as { properties: Record<string, Schema> }
  const members = Object.entries(properties).map(
    ([name, schema]) => `\`${name}\` ${typeOf(schema)}`,
  )
  const example = examples.find(({ event_type }) => event_type === type)
  const cells = [
    `\`${type}\``,
    eventMeanings[type].when,
    objectTypesOf(type, example?.object_type),
    schemaVersions[type],
    members.join('; '),
  ]
  return `| ${cells.join(' | ')} |`
}

const events = () => `# Event catalog

Written by \`bun run readme\` from the program. \`GET /hooks/sample\` answers a whole example of each; the envelope around
\`data\` is the same for all: \`id\` (de-duplicate by it), \`event_type\`, \`schema_version\`, \`occurred_at\`, \`object_type\`,
\`object_id\`, \`links\`, and in the feed \`cursor\`.

What changes a row and sends no event:

${silentChanges.map(({ resource, changes }) => `- ${resource}: ${changes}.`).join('\n')}

| Event | When | \`object_type\` | Version | Members of \`data\` |
|---|---|---|---|---|
${eventTypes.map(eventRow).join('\n')}
`

const cures: Record<ErrorCode, [cause: string, cure: string]> = {
  invalid_id: ['An id in the path is no UUID.', 'Send the id as the API gave it, 8-4-4-4-12.'],
  invalid_request: [
    'A parameter is malformed, given twice or empty; a key is no identity; with 405, 408 and 413: the method, a body that did not arrive, one above 64 KiB.',
    'The message names the parameter and what it takes.',
  ],
  invalid_json: [
    'The body of POST /hooks is no JSON in UTF-8.',
    'Mend the body; `Content-Type` does not matter.',
  ],
  missing_target_url: ['POST /hooks without `target_url`.', 'Add it.'],
  invalid_event_types: [
    '`event_types` is missing, empty or holds a type there is not.',
    'Take the types from the event catalog.',
  ],
  invalid_subscription: [
    'The URL is refused, or there are `HOOKS_MAX` subscriptions already.',
    'https, no user name, a public address; or delete a subscription. On your own machine use `listen`.',
  ],
  invalid_cursor: [
    '`after` (or `Last-Event-ID` of a stream) is malformed, or beyond the head of this feed, as a cursor of another database or of before a restore may be.',
    'Send `meta.next_cursor` as it came. Beyond the head: begin at `X-Feed-Head` of the answer, or omit the cursor, and read the lists again.',
  ],
  invalid_types: [
    '`types` holds a type there is not, or is empty.',
    'Commas or repetition: `types=lead.created,signal.opened`.',
  ],
  unknown_event_type: ['`type` of /hooks/sample is no event type.', 'Take one from the catalog.'],
  missing_token: ['No key was sent, or with another scheme.', '`Authorization: Bearer <key>`.'],
  invalid_token: [
    'The key is unknown, expired or revoked.',
    'Ask the owner for a new one; do not try again.',
  ],
  missing_scope: [
    'The key lacks the scope of the operation.',
    'The message names the scope, `X-Key-Scopes` those of the key. Ask the owner for another key.',
  ],
  not_found: ['There is no such row, or no such path.', 'In a copy: drop the row.'],
  cursor_expired: [
    '`after` (or `Last-Event-ID`) is older than events are kept.',
    'Make a new copy (copy_everything.md), or omit the cursor to go on from the oldest event.',
  ],
  rate_limited: [
    'More than `RATE_LIMIT_PER_MINUTE` requests in 60 s (240 by default), too many open streams, or too many failed keys from one address.',
    'Wait the seconds of `Retry-After`.',
  ],
  internal_error: [
    'Something failed on the side of the service.',
    'Try again with growing waits; quote the request id to the operator.',
  ],
}

const errors = () => `# Errors

Written by \`bun run readme\` from the program. Every failure is
\`{"api_version":"v1","error":{"code":…,"message":…}}\`. The message has what would have been right and repeats no input.
Branch on \`code\`; the wording of \`message\` may change.

| Status | \`code\` | Cause | What to do |
|---|---|---|---|
${errorCodes
  .map(code => `| ${errorStatus[code]} | \`${code}\` | ${cures[code].join(' | ')} |`)
  .join('\n')}

Some answers have a finer status than their code:

| Status | Code | When |
|---|---|---|
| 405 | \`invalid_request\` | The path does not take this method; \`Allow\` lists those it takes. |
| 408 | \`invalid_request\` | The body did not arrive in time. |
| 413 | \`invalid_request\` | The body is larger than 64 KiB. |
| 403 | \`invalid_request\` | At \`/mcp\` only: a foreign \`Origin\`. [What else it refuses](../guides/tools.md#arguments-and-answers) |
| 503 | \`internal_error\` | A lock of the database, its connection limit, or that it takes no writes is the reason, or the request took longer than it may (\`STATEMENT_TIMEOUT_MS\` and a second), or waited too long for others of its key and did not begin. \`/readyz\`: the database is away, has another schema version or takes no writes (read-only, or its disk is full), the worker is silent, or the service is stopping. It asks over a connection that it keeps: that new ones are refused at the connection limit shows in \`wda_database_up\`. |

A webhook delivery has no error code but an error class, such as \`tls\` or \`timeout\`: [the classes](../guides/webhooks.md#error-classes).
`

/** Pages by path. */
export const catalogFiles = (): Record<string, string> => ({
  'docs/reference/event_catalog.md': events(),
  'docs/reference/errors.md': errors(),
})
