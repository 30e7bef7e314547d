// The line in the log for a request, to REST, the tools or the dashboard.
import type { RequestLine } from '../../observability/log.ts'
import { traceIdOf } from './trace.ts'

type Answered = Pick<RequestLine, 'route' | 'status'> & {
  [Member in 'tool' | 'code' | 'key_id']?: string | undefined
}

/** Begins to time a request. What it returns makes the line when the request is answered. */
export function startRequestLine(request: Request, request_id: string) {
  const startedAt = performance.now()
  return ({ route, status, tool, code, key_id }: Answered): RequestLine => {
    const trace_id = traceIdOf(request)
    return {
      request_id,
      method: request.method,
      route,
      status,
      ...(tool && { tool }),
      ...(code && { code }),
      ...(key_id && { key_id }),
      ...(trace_id && { trace_id }),
      duration_ms: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    }
  }
}
