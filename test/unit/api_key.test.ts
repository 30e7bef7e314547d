// API keys: `wda_`, 43 base62 characters, 6 characters of checksum.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { isApiKey, keyDigest, keyPrefix, makeApiKey } from '../../src/model/api_key.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const replaceAt = (text: string, position: number, character: string) =>
  text.slice(0, position) + character + text.slice(position + 1)

test('a key is wda_ and 49 base62 characters', () => {
  const key = makeApiKey()
  expect(key).toMatch(/^wda_[0-9A-Za-z]{49}$/)
  expect(isApiKey(key)).toBe(true)
})

test('10,000 keys are all different, all of one length, leading zeros included', () => {
  const keys = Array.from({ length: 10_000 }, makeApiKey)
  expect(new Set(keys).size).toBe(10_000)
  expect(new Set(keys.map(keyDigest)).size).toBe(10_000)
  expect(keys.filter(key => key.length !== 53 || !isApiKey(key))).toEqual([])
  // One body in 62 and one checksum in five begins with a zero: both must keep it.
  expect(keys.some(key => key[4] === '0')).toBe(true)
  expect(keys.some(key => key[47] === '0')).toBe(true)
})

test('the checksum is the CRC32 of all before it, in base62 with leading zeros', () => {
  const body = `wda_${'0'.repeat(43)}`
  let rest = crc32(body)
  let checksum = ''
  for (let digit = 0; digit < 6; digit += 1) {
    checksum = alphabet[rest % 62] + checksum
    rest = Math.floor(rest / 62)
  }
  expect(isApiKey(body + checksum)).toBe(true)
})

test('every change of a single character is noticed', () => {
  const key = makeApiKey()
  for (let position = 0; position < key.length; position += 1)
    for (const character of `${alphabet}_- é`) {
      const changed = replaceAt(key, position, character)
      if (changed !== key) expect(isApiKey(changed)).toBe(false)
    }
})

test('every swap of two neighbours is noticed', () => {
  const key = makeApiKey()
  for (let position = 0; position < key.length - 1; position += 1) {
    const [one = '', other = ''] = key.slice(position)
    const swapped = replaceAt(replaceAt(key, position, other), position + 1, one)
    if (swapped !== key) expect(isApiKey(swapped)).toBe(false)
  }
})

test('noise of the right length, and a key with anything around it, is no key', () => {
  const key = makeApiKey()
  const noise = `wda_${'a'.repeat(49)}`
  for (const text of ['', 'wda_', noise, ` ${key}`, `${key} `, `${key}\n`, key + key])
    expect(isApiKey(text)).toBe(false)
  expect(isApiKey(key.slice(0, -1))).toBe(false)
  expect(isApiKey(key.replace('wda_', 'WDA_'))).toBe(false)
})

test('the prefix is wda_ and 8 characters; the digest is SHA-256 in hex', () => {
  const key = makeApiKey()
  expect(keyPrefix(key)).toBe(key.slice(0, 12))
  expect(keyDigest(key)).toBe(createHash('sha256').update(key).digest('hex'))
})
