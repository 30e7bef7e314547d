// The forms of the settings that webhooks have alone. As in config.ts: each throws what completes "NAME must be …".
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const retriesMax = 4

/** Five attempts in all (spec 6, rule 3): the last delay named stands for those that are not. */
export const retryDelays = (value: string) => {
  const texts = value.split(',').map(part => part.trim())
  const delays = texts.map(Number)
  if (
    texts.length > retriesMax ||
    !texts.every(part => /^\d{1,5}(\.\d{1,3})?$/.test(part)) ||
    delays.some(delay => delay > 86_400)
  )
    throw new Error(`1 to ${retriesMax} delays in seconds up to 86400, such as 10,60,300,1800`)
  return Array.from({ length: retriesMax }, (_, index) => delays[index] ?? delays.at(-1) ?? 0)
}

export const certificateFile = (path: string) => {
  try {
    return new X509Certificate(readFileSync(path)) && path
  } catch {
    throw new Error('a readable file of certificates in PEM form')
  }
}

// 32 bytes: 64 hexadecimal digits, or 43 of base64, with or without its padding.
const secretsKeyForm = /^([\da-f]{64}|[\w+/-]{43}=?)$/i

export const secretsKeys = (value: string) => {
  const keys = value.split(',').map(part => part.trim())
  if (!keys.every(key => secretsKeyForm.test(key)))
    throw new Error(
      '32 bytes in hex or base64, such as `openssl rand -base64 32` makes; several with commas',
    )
  return keys
}
