// Whether a delivery is genuine. `rawBody` holds the bytes as they came, before any parsing.
import { createHmac, timingSafeEqual } from 'node:crypto'

export function isGenuine(secret: string, headers: Headers, rawBody: Uint8Array): boolean {
  const timestamp = headers.get('x-service-timestamp') ?? ''
  const signature = headers.get('x-service-signature') ?? ''
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex')
  const expected = Buffer.from(`v1=${digest}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
