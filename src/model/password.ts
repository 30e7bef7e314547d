// The owner's password: only its scrypt hash is kept.
import { randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'

export type PasswordHash = { salt: Buffer; key: Buffer }

// 32 MiB and about 0.1 s for each guess.
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const keyBytes = 32
const saltBytes = 16
const storedForm = /^scrypt\$15\$8\$1\$([\w-]{22})\$([\w-]{43})$/

const derive = (password: string, salt: Buffer) =>
  new Promise<Buffer>((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, keyBytes, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })

export const hashPassword = async (
  password: string,
  salt: Buffer = randomBytes(saltBytes),
): Promise<PasswordHash> => ({ salt, key: await derive(password, salt) })

export async function isPassword({ salt, key }: PasswordHash, given: string): Promise<boolean> {
  return timingSafeEqual(await derive(given, salt), key)
}

/** As a line for a file. */
export const writeHash = ({ salt, key }: PasswordHash): string =>
  `scrypt$15$8$1$${salt.toString('base64url')}$${key.toString('base64url')}`

/** Throws for a text that is no hash of ours. */
export function readHash(text: string): PasswordHash {
  const [, salt, key] = storedForm.exec(text) ?? []
  if (salt === undefined || key === undefined) throw new Error('no hash of a password')
  return { salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
}

// Without the letters and digits that are read as one another.
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'

/** 20 characters in groups of five: 99 bits. */
export const makePassword = (): string =>
  Array.from({ length: 4 }, () =>
    Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join(''),
  ).join('-')
