// The Host header: one host, as RFC 9112 (3.2) asks. What the runtime makes of several, or of text that is no host, is refused.

// A name or an address, and a port. Empty, or none with HTTP/1.0, is allowed.
const hostForm = /^(?:(?:[\w.~-]|%[\da-f]{2})*|\[[\da-f:.]+(?:%25[\w.~-]+)?\])(?::\d{0,5})?$/i

export const hasOneHost = (request: Request): boolean =>
  hostForm.test(request.headers.get('host') ?? '')
