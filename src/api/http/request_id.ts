// X-Request-Id, in and out.

const requestIdForm = /^[\w.-]{1,128}$/

/** The id a client sent, if it is a plain word, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id')
  return given !== null && requestIdForm.test(given) ? given : crypto.randomUUID()
}
