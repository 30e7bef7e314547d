// A subscription's signing secret: its text, and the form in which the database keeps it.
// Sealed: `v1.<key id>.<iv>.<ciphertext and tag>`, AES-256-GCM, bound to its subscription.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** 32 bytes each. The first one seals, any one opens; so a new key goes in front of the old ones. */
export type SecretKeys = readonly Uint8Array[]

/** A sealed secret that does not open. The text says why and holds nothing of the secret. */
export class SealedSecretError extends Error {}

const prefix = 'whsec_'
const ivBytes = 12
const tagBytes = 16
const secretForm = /^whsec_[A-Za-z0-9+/]+={0,2}$/
const sealedForm = /^v1\.([\da-f]{8})\.([\w-]+)\.([\w-]+)$/

export const makeSigningSecret = (): string => prefix + randomBytes(32).toString('base64')

/** What the text after `whsec_` stands for. */
export function secretBytes(secret: string): Buffer {
  if (!secretForm.test(secret)) throw new Error('a signing secret is whsec_ and base64')
  return Buffer.from(secret.slice(prefix.length), 'base64')
}

/** First 8 hexadecimal digits of the key's SHA-256: distinguishes keys, reveals nothing about them. */
export const secretKeyId = (key: Uint8Array): string =>
  createHash('sha256').update(key).digest('hex').slice(0, 8)

export function sealSecret(secret: string, keys: SecretKeys, subscriptionId: string): string {
  const [key] = keys
  if (key === undefined)
    throw new Error('there is no key to encrypt signing secrets with: set SECRETS_KEY')
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(subscriptionId))
  const sealed = [cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return [
    'v1',
    secretKeyId(key),
    iv.toString('base64url'),
    Buffer.concat(sealed).toString('base64url'),
  ].join('.')
}

/** Base64 has spellings that differ in bits without meaning; only the one we write is accepted. */
function readBase64url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new SealedSecretError('not a sealed secret')
  return bytes
}

function partsOf(sealed: string): { keyId: string; iv: Buffer; content: Buffer } {
  const [, keyId = '', iv = '', content = ''] = sealedForm.exec(sealed) ?? []
  const parts = { keyId, iv: readBase64url(iv), content: readBase64url(content) }
  if (parts.iv.length !== ivBytes || parts.content.length < tagBytes)
    throw new SealedSecretError('not a sealed secret')
  return parts
}

/** Which key a sealed secret needs. */
export const keyIdOf = (sealed: string): string => partsOf(sealed).keyId

/** Throws SealedSecretError for another subscription, a missing key, or a text that is not as it was sealed. */
export function openSecret(sealed: string, keys: SecretKeys, subscriptionId: string): string {
  const { keyId, iv, content } = partsOf(sealed)
  const key = keys.find(one => secretKeyId(one) === keyId)
  if (key === undefined)
    throw new SealedSecretError(`the key ${keyId} is not among the keys of SECRETS_KEY`)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(subscriptionId))
  decipher.setAuthTag(content.subarray(-tagBytes))
  try {
    const secret = [decipher.update(content.subarray(0, -tagBytes)), decipher.final()]
    return Buffer.concat(secret).toString('utf8')
  } catch {
    throw new SealedSecretError('the sealed secret was changed, or is of another subscription')
  }
}
