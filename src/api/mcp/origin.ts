// Which websites may call the tools: ours, and those on the machine itself. A browser names the website in
// Origin, so a foreign one that has found its way to this address (DNS rebinding) is seen. What is no
// browser sends none.
import { ApiError } from '../../errors.ts'

const onTheMachine = ['localhost', '127.0.0.1', '[::1]']

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).hostname : '')

/** `own` is the origin under which clients reach the service. Throws invalid_request with 403. */
export function checkOriginHeader(own: string): (request: Request) => void {
  const allowed = [...onTheMachine, new URL(own).hostname]
  return request => {
    const origin = request.headers.get('origin')
    if (origin !== null && !allowed.includes(hostOf(origin)))
      throw new ApiError('invalid_request', 'Websites of this Origin may not call the tools.', {
        status: 403,
      })
  }
}
