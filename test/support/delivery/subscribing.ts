// Subscribing over HTTP in a test. The targets are addresses of a documentation network that the service is set to
// allow: an address needs no name server.
import type { TestReply, TestService } from '../http/service.ts'

export const allowedTargets = { WEBHOOK_ALLOWED_NETWORKS: '192.0.2.0/24' }
export const target = 'https://192.0.2.7/hooks'

export const subscriptionBody = (members: Record<string, unknown> = {}) => ({
  target_url: target,
  event_types: ['lead.created'],
  ...members,
})

/** POST /hooks with a body as it is. */
export const postHook = (api: TestService, body: BodyInit, headers: Record<string, string> = {}) =>
  api.send('/hooks', {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${api.key}`, ...headers },
  })

export const subscribe = (
  api: TestService,
  members: Record<string, unknown> = {},
): Promise<TestReply> =>
  postHook(api, JSON.stringify(subscriptionBody(members)), { 'content-type': 'application/json' })
