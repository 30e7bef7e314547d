// What every operation of the OpenAPI document refers to: the key, the headers, the error body.
import { errorCodes } from '../../errors.ts'
import { scopes } from '../../model/scope.ts'
import { ratePolicy } from '../http/authorize.ts'

type Json = Record<string, unknown>

const header = (description: string, schema: Json = { type: 'string' }) => ({ description, schema })

/** `permitsMax` is the limit of this service: requests of one key in a window. */
export const componentsFor = (permitsMax: number) => ({
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: `API key from the dashboard, \`wda_…\`. Scopes: ${scopes.map(scope => `\`${scope}\``).join(', ')}.`,
    },
  },
  headers: {
    RequestId: header(
      'Id of the request: the one sent, or a new one. Quote it when something fails.',
    ),
    CacheControl: header('Always `no-store`: responses hold personal data.', {
      type: 'string',
      const: 'no-store',
    }),
    RateLimit: header(
      'Requests left for this key and seconds until more are free, `"default";r=180;t=12`.',
    ),
    RateLimitPolicy: header(`The limit of this key, \`${ratePolicy(permitsMax)}\`.`),
    KeyScopes: header(
      'The scopes of the key that was sent, separated by spaces: with every answer of an operation to a known key, as RateLimit and RateLimit-Policy. A fault before the key is counted has none of them, nor has 429 for too many unknown keys.',
    ),
    FeedHead: header(
      'Cursor of the last event of the feed as the answer was made. A copy begins here: send it as `after` once the lists are read.',
      { type: 'integer', format: 'int64', minimum: 0 },
    ),
    RetryAfter: header('Whole seconds to wait.', { type: 'integer', minimum: 1 }),
    Authenticate: header('Why the key was not accepted, as RFC 6750 has it.'),
  },
  schemas: {
    Error: {
      type: 'object',
      description:
        'Every failure has this body. `code` is stable; the wording of `message` is not.',
      properties: {
        api_version: { type: 'string', const: 'v1' },
        error: { $ref: '#/components/schemas/ErrorDetail' },
      },
      required: ['api_version', 'error'],
    },
    ErrorDetail: {
      type: 'object',
      properties: {
        code: { $ref: '#/components/schemas/ErrorCode' },
        message: { type: 'string', description: 'For people; may say how to mend it.' },
      },
      required: ['code', 'message'],
    },
    ErrorCode: { type: 'string', enum: errorCodes, description: 'What went wrong, for programs.' },
  },
})
