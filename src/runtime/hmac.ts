// HMAC-SHA-256. Bun's own takes a third of what its node:crypto does (docs/decisions/sending.md).
import { createHmac } from 'node:crypto'

/** Of texts or bytes, one after the other: together they would be a copy of the body for each signature. */
export function hmacSha256(
  key: Buffer,
  parts: readonly (string | Buffer)[],
  encoding: 'hex' | 'base64',
): string {
  const hmac: { update(part: string | Buffer): unknown; digest(encoding: string): string } =
    typeof Bun === 'undefined' ? createHmac('sha256', key) : new Bun.CryptoHasher('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest(encoding)
}
