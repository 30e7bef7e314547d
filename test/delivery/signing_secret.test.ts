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

test('a secret is whsec_ and the base64 of 32 random bytes', () => {
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(secretBytes(secret)).toHaveLength(32)
  expect(new Set(Array.from({ length: 1_000 }, makeSigningSecret)).size).toBe(1_000)
})

test.each(['', 'whsec_', 'abc', 'whsec_a b', 'WHSEC_YWJj', `${secret}\n`])(
  'what is no secret signs nothing: %j',
  text => {
    expect(() => secretBytes(text)).toThrow('whsec_')
  },
)

test('what was sealed opens', () => {
  expect(openSecret(sealSecret(secret, [first], id), [first], id)).toBe(secret)
})

test('sealed twice it looks different, and neither shows the secret', () => {
  const [one, other] = [sealSecret(secret, [first], id), sealSecret(secret, [first], id)]
  expect(one).not.toBe(other)
  expect(one).not.toContain(secret.slice(6, 20))
  expect(one).toMatch(/^v1\.[\da-f]{8}\.[\w-]{16}\.[\w-]+$/)
})

test('the first key of the list seals, any one of it opens', () => {
  const sealed = sealSecret(secret, [first, second], id)
  expect(keyIdOf(sealed)).toBe(secretKeyId(first))
  expect(openSecret(sealed, [second, first], id)).toBe(secret)
})

test('without its key it names the key it needs', () => {
  const sealed = sealSecret(secret, [first], id)
  expect(() => openSecret(sealed, [second], id)).toThrow(secretKeyId(first))
  expect(() => openSecret(sealed, [], id)).toThrow(SealedSecretError)
})

test('a key id that claims another key does not open', () => {
  const [, , iv, content] = sealSecret(secret, [first], id).split('.')
  const forged = ['v1', secretKeyId(second), iv, content].join('.')
  expect(() => openSecret(forged, [first, second], id)).toThrow('changed')
})

test("it opens for its own subscription alone, so rows' secrets cannot be swapped", () => {
  const sealed = sealSecret(secret, [first], id)
  expect(() => openSecret(sealed, [first], randomUUID())).toThrow('another subscription')
})

test('no change of a single character opens', () => {
  const sealed = sealSecret(secret, [first], id)
  for (let position = 0; position < sealed.length; position += 1)
    for (const character of ['A', 'b', '0', '.', '_', '=', '']) {
      const changed = sealed.slice(0, position) + character + sealed.slice(position + 1)
      if (changed !== sealed)
        expect(() => openSecret(changed, [first], id)).toThrow(SealedSecretError)
    }
})

test.each(['', 'v1', 'v1...', 'v2.00000000.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAA', secret])(
  'noise does not open, and the error repeats nothing of it: %j',
  text => {
    expect(() => openSecret(text, [first], id)).toThrow(SealedSecretError)
    expect(() => keyIdOf(text || 'x')).toThrow('not a sealed secret')
  },
)

test('without a key nothing is sealed', () => {
  expect(() => sealSecret(secret, [], id)).toThrow('no key')
})
