// Signing secrets at rest: sealed with one key, opened with any of the list, and never opened wrongly.
import { expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  keyIdOf,
  makeSigningSecret,
  openSecret,
  SealedSecretError,
  sealSecret,
  secretBytes,
  secretKeyId,
} from '../../src/model/signing_secret.ts'

const id = randomUUID()
const [first, second] = [randomBytes(32), randomBytes(32)]
const secret = makeSigningSecret()
const sealed = sealSecret(secret, [first, second], id)

test('a secret is whsec_ and the base64 of 32 random bytes; what is none signs nothing', () => {
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(secretBytes(secret)).toHaveLength(32)
  expect(new Set(Array.from({ length: 1_000 }, makeSigningSecret)).size).toBe(1_000)
  for (const text of ['', 'whsec_', 'abc', 'whsec_a b', 'WHSEC_YWJj', `${secret}\n`])
    expect(() => secretBytes(text)).toThrow('whsec_')
})

test('the first key of the list seals, any one of it opens; sealed twice it looks different', () => {
  expect(keyIdOf(sealed)).toBe(secretKeyId(first))
  expect(openSecret(sealed, [second, first], id)).toBe(secret)
  expect(sealed).toMatch(/^v1\.[\da-f]{8}\.[\w-]{16}\.[\w-]+$/)
  expect(sealed).not.toContain(secret.slice(6, 20))
  expect(sealSecret(secret, [first], id)).not.toBe(sealed)
  expect(() => sealSecret(secret, [], id)).toThrow('no key')
})

const [, , iv, content] = sealed.split('.')

test.each([
  ['without its key', sealed, [second], id, secretKeyId(first)],
  ['without any key', sealed, [], id, secretKeyId(first)],
  [
    'with the id of another key',
    ['v1', secretKeyId(second), iv, content].join('.'),
    [first, second],
    id,
    'changed',
  ],
  ['for another subscription', sealed, [first], randomUUID(), 'another subscription'],
  ...['', 'v1', 'v1...', 'v2.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA', secret].map(
    text => [`noise (${text.slice(0, 4)})`, text, [first], id, 'sealed secret'],
  ),
] as [string, string, Buffer[], string, string][])(
  'it does not open %s',
  (_what, text, keys, subscription, sentence) => {
    expect(() => openSecret(text, keys, subscription)).toThrow(SealedSecretError)
    expect(() => openSecret(text, keys, subscription)).toThrow(sentence)
  },
)

test('no change of a single character opens', () => {
  for (let position = 0; position < sealed.length; position += 1)
    for (const character of ['A', 'b', '0', '.', '_', '=', '']) {
      const changed = sealed.slice(0, position) + character + sealed.slice(position + 1)
      if (changed !== sealed)
        expect(() => openSecret(changed, [first], id)).toThrow(SealedSecretError)
    }
})
