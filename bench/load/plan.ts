// What the load process is asked to do, and what it answers.

/** Sends from several connections at once, each its next request as soon as it has its answer. */
export type Saturate = {
  kind: 'saturate'
  port: number
  connections: number
  /** Ends after so many seconds, or after so many requests. */
  until: { seconds: number } | { requests: number }
  /** Whole requests as text, sent in turn. */
  requests: string[]
  /** Over TLS, to a server with a certificate of this authority (PEM). */
  ca?: string
}

/** Sends one request at a time, in turn to each port, so that both sides see the same machine. */
export type Alternate = {
  kind: 'alternate'
  ports: number[]
  times: number
  /** By port: whole requests as text, sent in turn. */
  requests: string[][]
}

export type Plan = Saturate | Alternate

export type Saturated = {
  requests: number
  seconds: number
  p50: number
  p99: number
  /** Bytes of one answer's body. */
  bodyBytes: number
  /** Share of one core that the load process used. */
  cpu: number
}

/** By port: milliseconds of each request. */
export type Alternated = { times: number[][] }

export type Outcome = Saturated | Alternated | { error: string }

export const getRequest = (path: string, key?: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key ? `authorization: Bearer ${key}\r\n` : ''}\r\n`

/** A JSON body, with a key where one is asked for. */
export const postRequest = (path: string, body: string, key?: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key ? `authorization: Bearer ${key}\r\n` : ''}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
