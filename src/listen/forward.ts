// Posts an event to a developer's receiver as a delivery would be: signed, with the same headers and the same body. Plain
// http and private addresses are allowed here, because it is the developer's own machine that sends.
import { goWithoutProxy } from '../lib/proxy.ts'
import { signedHeaders, signingKeys, traceOf, traceparentOf } from '../sending/signature.ts'

export type Answered = { ms: number } & ({ status: number; excerpt: string } | { failure: string })

type Forward = (eventId: string, body: string, isTest: boolean) => Promise<Answered>

const timeoutMs = 15_000
const excerptLengthMax = 200

const failureOf = (error: unknown): string => {
  const { name, message, code } = error as { name: string; message: string; code?: string }
  return name === 'TimeoutError' ? `no answer in ${timeoutMs / 1_000} s` : (code ?? message)
}

/** Sends one event at a time to `target`; never throws. */
export function openForward(target: string, secret: string): Forward {
  const keys = signingKeys(secret)
  goWithoutProxy()
  return async (eventId, body, isTest) => {
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      ...signedHeaders({ eventId, body, timestamp, primary: keys, live: [keys] }),
      'content-type': 'application/json',
      traceparent: traceparentOf(traceOf(eventId)),
      ...(isTest && { 'webhook-test': 'true' }),
    }
    const startedAt = performance.now()
    const msSince = () => Math.round(performance.now() - startedAt)
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const options = { method: 'POST', body, headers, signal, redirect: 'manual' } as const
      const response = await fetch(target, options)
      const excerpt = (await response.text()).slice(0, excerptLengthMax)
      return { status: response.status, excerpt, ms: msSince() }
    } catch (error) {
      return { failure: failureOf(error), ms: msSince() }
    }
  }
}
