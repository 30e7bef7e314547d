// Messages as the service sends them, for the examples of the OpenAPI document. A test asks for each of them.
import type { ErrorCode } from '../../errors.ts'
import { eventTypes } from '../../model/event_type.ts'

export type Messages = Record<string, Partial<Record<ErrorCode, string>>>

const types = eventTypes.join(', ')

/** By the name of the response, and for all others. `permitsMax` is the limit of this service. */
export const errorMessagesFor = (permitsMax: number): Messages => ({
  common: {
    invalid_request: 'limit must be a whole number from 1 to 200, in plain decimal digits.',
    missing_token: 'Send the API key as "Authorization: Bearer <API_KEY>".',
    invalid_token: 'The API key is unknown, expired or revoked.',
    missing_scope: 'This key lacks the scope read:leads.',
    not_found: 'There is no lead with this id.',
    cursor_expired: 'Events after this cursor have expired; omit after to start from the oldest.',
    rate_limited: `More than ${permitsMax} requests in 60 s with this key; try again in 12 s.`,
    internal_error: 'Unexpected failure; quote request 6a5d2f0e-0c5e-4d0b-9a43-0f3c6a1b7e52.',
  },
  Busy: {
    internal_error:
      'The database is busy; try again in a second. Quote request 6a5d2f0e-0c5e-4d0b-9a43-0f3c6a1b7e52.',
  },
  BadId: {
    invalid_id: 'leadId must be a UUID.',
    invalid_request: 'A query parameter must be valid UTF-8 in percent-encoding.',
  },
  BadFeedRequest: {
    invalid_cursor: 'after is beyond the last event of this feed; omit it to start over.',
    invalid_types: `types must be a comma-separated list of event types: ${types}.`,
  },
  BadSubscription: {
    invalid_request: 'source must be one of api, zapier, make.',
    invalid_json: 'The body must be JSON in UTF-8.',
    missing_target_url:
      'target_url is missing: the body must be a JSON object with target_url and event_types.',
    invalid_event_types: `event_types must be an array of one or more of ${types}.`,
    invalid_subscription:
      'target_url must not lead to a private or reserved address; the command listen brings events to your own machine, WEBHOOK_ALLOWED_NETWORKS opens networks.',
  },
  BadSampleType: {
    invalid_request: 'A query parameter must be valid UTF-8 in percent-encoding.',
    unknown_event_type: `type must be one of ${types}.`,
  },
  BodyTooSlow: { invalid_request: 'The body did not arrive within 3 s.' },
  BodyTooLarge: { invalid_request: 'A body takes at most 65536 bytes.' },
})
