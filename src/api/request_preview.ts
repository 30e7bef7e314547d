// The request that a delivery would be made with at this moment, for its page in the dashboard: nothing is sent.

import { addOwnHeaders, traceOf } from '../delivery/attempt.ts'
import { SealedSecretError } from '../model/signing_secret.ts'
import type { Log } from '../observability/log.ts'
import type { DeliveryRequest } from '../operations/deliveries.ts'
import { requestHead } from '../sending/sender.ts'
import { openSigner } from '../sending/signature.ts'

export type RequestPreview = {
  /** Its first line and all headers, as they go out. */
  head: string
  /** Those that a receiver verifies, and the trace. */
  headers: Record<string, string>
}

type Settings = { secretsKeys: readonly Uint8Array[]; allowedNetworks: readonly string[]; log: Log }

/** Null: no key of this process opens the secret, or nothing may be sent to the address. */
export function openRequestPreview({ secretsKeys, allowedNetworks, log }: Settings) {
  const sign = openSigner(secretsKeys.map(key => Buffer.from(key)))
  return (id: string, request: DeliveryRequest, isTest: boolean): RequestPreview | null => {
    const { event_id, body, target_url, ...secrets } = request
    try {
      const headers = sign({ id, ...secrets }, event_id, body)
      addOwnHeaders(headers, traceOf(event_id), isTest)
      const head = requestHead({ url: target_url, group: id, headers, body }, allowedNetworks)
      return head === undefined ? null : { head, headers }
    } catch (error) {
      if (!(error instanceof SealedSecretError)) throw error
      log.fault('request preview', error)
      return null
    }
  }
}
