// The text form of an API key: `wda_`, 43 base62 characters (256 random bits), 6 characters base62 CRC32.
// The checksum lets scanners and this service tell a key from noise without asking a database.
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const keyForm = /^wda_[0-9A-Za-z]{49}$/
const bodyLength = 47
const prefixLength = 12

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n)
    text = alphabet[Number(rest % 62n)] + text
  return text
}

const checksum = (body: string) => base62(BigInt(crc32(body)), 6)

export function makeApiKey(): string {
  const body = `wda_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)}`
  return body + checksum(body)
}

export const keyLabelLengthMax = 200
const labelForm = new RegExp(`^\\P{Cc}{1,${keyLabelLengthMax}}$`, 'u')

/** Whether a key can be called so: printable characters. */
export const isKeyLabel = (text: string): boolean => labelForm.test(text)

/** Whether a text can be a key at all: right form, right checksum. */
export const isApiKey = (text: string): boolean =>
  keyForm.test(text) && text.slice(bodyLength) === checksum(text.slice(0, bodyLength))

export const keyPrefix = (key: string): string => key.slice(0, prefixLength)

/** SHA-256, as hex: what is stored in api_keys.digest and looked up in memory. */
export const keyDigest = (key: string): string => createHash('sha256').update(key).digest('hex')
