// Sends POST requests to untrusted targets, within limits of time, size and address. Every failure of a target
// is a result, not an exception. This file is the module's only public one.

import type { Lookup } from '../net/resolve.ts'
import { openDestinationCache, requestText } from './destination.ts'
import { replyOf, runExchange } from './exchange.ts'
import type { PoolLimits } from './host_pool.ts'
import { openConnectionPool } from './pool.ts'
import { failure, type Reply } from './reply.ts'
import type { TrustOptions } from './tls.ts'

export type { ErrorClass, Reply } from './reply.ts'

export type OutgoingRequest = {
  url: string
  /** Only requests of one group share connections, so that an unsolicited response harms no other group. */
  group: string
  /** In addition to Content-Type, Content-Length, Host and the like. Printable ASCII values. */
  headers: Record<string, string>
  /** Sent as UTF-8, byte for byte what was signed. */
  body: string
}

export type Sender = {
  send(request: OutgoingRequest): Promise<Reply>
  /** Closes every connection; requests in flight fail. */
  close(): void
}

export type SenderTimeouts = PoolLimits & {
  /** From the request to the last byte of the response, with the time to connect. */
  totalMs: number
}

export type SenderOptions = Omit<TrustOptions, 'lookup'> & {
  timeouts?: Partial<SenderTimeouts>
  lookup?: Lookup
}

const defaultTimeouts: SenderTimeouts = {
  connectMs: 5_000,
  totalMs: 15_000,
  // Less than servers keep an idle connection by default: a POST on its way to one that is being closed fails.
  idleMs: 1_500,
  ageMaxMs: 60_000,
}

/** Writes a request as it would be sent; undefined: nothing may be sent to its address. */
export function openRequestWriter(allowedNetworks: readonly string[]) {
  const destinationOf = openDestinationCache(allowedNetworks)
  return ({ url, group, headers, body }: OutgoingRequest): string | undefined => {
    const destination = destinationOf(url, group)
    return destination && requestText(destination, headers, body)
  }
}

export function openSender(options: SenderOptions): Sender {
  const { allowedNetworks, ca, lookup } = options
  const { totalMs, ...limits } = { ...defaultTimeouts, ...options.timeouts }
  const pool = openConnectionPool({ allowedNetworks, ca, lookup, ...limits })
  // Checked again here: the URL may have been stored under other settings, and an address in it is never resolved.
  const destinationOf = openDestinationCache(allowedNetworks)

  return {
    async send({ url, group, headers, body }) {
      const destination = destinationOf(url, group)
      if (destination === undefined) return replyOf(failure('blocked'), performance.now())
      return await runExchange(pool, destination, requestText(destination, headers, body), totalMs)
    },
    close: () => pool.close(),
  }
}
