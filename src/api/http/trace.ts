// The trace a request belongs to (W3C Trace Context): taken over into the log, and into nothing else.

// version-trace-parent-flags. A later version than 00 may say more behind it; ff, and ids of zeros alone, are none.
const traceparentForm =
  /^(?:00(?=.{53}$)|(?!00|ff)[\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/

/** The trace id of a request's traceparent; undefined without one, or when it is malformed. */
export function traceIdOf(request: Request): string | undefined {
  const given = request.headers.get('traceparent')
  return given === null ? undefined : traceparentForm.exec(given)?.[1]
}
