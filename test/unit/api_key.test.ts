// API keys: `wda_`, 43 base62 characters, 6 characters of checksum.
import { expect, test } from 'bun:test'
import { crc32 } from 'node:zlib'
import { isApiKey, makeApiKey } from '../../src/model/api_key.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('10,000 keys are all different, all of one form, leading zeros included', () => {
  const keys = Array.from({ length: 10_000 }, makeApiKey)
  expect(new Set(keys).size).toBe(10_000)
  expect(keys.filter(key => !/^wda_[0-9A-Za-z]{49}$/.test(key) || !isApiKey(key))).toEqual([])
  // One body in 62 and one checksum in five begins with a zero: both must keep it.
  for (const place of [4, 47]) expect(keys.some(key => key[place] === '0')).toBe(true)
})

test('the checksum is the CRC32 of all before it, in base62 with leading zeros', () => {
  const body = `wda_${'0'.repeat(43)}`
  let checksum = ''
  for (let rest = crc32(body), digit = 0; digit < 6; digit += 1, rest = Math.floor(rest / 62))
    checksum = alphabet[rest % 62] + checksum
  expect(isApiKey(body + checksum)).toBe(true)
})

test('every change of a character, every swap of two, and what is around a key is noticed', () => {
  const key = makeApiKey()
  const replaced = [...key].flatMap((_, at) =>
    [...`${alphabet}_- é`].map(character => key.slice(0, at) + character + key.slice(at + 1)),
  )
  const swapped = [...key.slice(1)].map(
    (next, at) => key.slice(0, at) + next + key[at] + key.slice(at + 2),
  )
  const others = ['', 'wda_', `wda_${'a'.repeat(49)}`, ` ${key}`, `${key} `, `${key}\n`, key + key]
  others.push(key.slice(0, -1), key.replace('wda_', 'WDA_'))
  expect(
    [...replaced, ...swapped, ...others].filter(text => text !== key && isApiKey(text)),
  ).toEqual([])
})
