// Spec part 5: which Authorization headers count as missing, as unknown, as a key; and when failing is throttled.
import { beforeEach, expect, test } from 'bun:test'
import { type Authentication, authenticate } from '../../src/api/http/auth.ts'
import { authenticationFailuresMax, openThrottle } from '../../src/api/http/throttle.ts'
import { ApiError } from '../../src/errors.ts'
import { makeApiKey } from '../../src/model/api_key.ts'
import type { ApiKey } from '../../src/operations/key_ring.ts'

const valid = makeApiKey()
const admitted: ApiKey = { id: 'key-1', scopes: new Set(), expiresAt: Number.POSITIVE_INFINITY }

let authentication: Authentication
let fresh: string[] = []

beforeEach(() => {
  fresh = []
  const find = (text: string) => (text === valid ? admitted : null)
  const findFresh = async (text: string) => {
    fresh.push(text)
    return null
  }
  authentication = {
    keyRing: { find, findFresh, forget() {}, async recordUses() {} },
    throttle: openThrottle(() => 0),
  }
})

const client = () => '203.0.113.7'

async function failure(header: string | null): Promise<ApiError> {
  const outcome = await authenticate(authentication, header, client).catch(error => error)
  if (outcome instanceof ApiError) return outcome
  throw new Error(`accepted: ${header}`)
}

test.each([
  ['Bearer', `Bearer ${valid}`],
  ['lower case', `bearer ${valid}`],
  ['upper case', `BEARER ${valid}`],
  ['two spaces', `Bearer  ${valid}`],
  ['spaces behind', `Bearer ${valid}  `],
  ['spaces before', `  Bearer ${valid}`],
  ['a tab behind', `Bearer ${valid}\t`],
])('a key is accepted: %s', async (_what, header) => {
  expect(await authenticate(authentication, header, client)).toBe(admitted)
})

test.each([
  ['no header', null],
  ['an empty header', ''],
  ['spaces alone', '   '],
  ['Bearer alone', 'Bearer'],
  ['Bearer and spaces', 'Bearer   '],
  ['Basic', 'Basic dXNlcjpwYXNz'],
  ['Basic with the key', `Basic ${valid}`],
  ['the key alone', valid],
  ['no space', `Bearer${valid}`],
  ['a tab for the space', `Bearer\t${valid}`],
  ['a colon', `Bearer: ${valid}`],
  ['another scheme first', `Token Bearer ${valid}`],
])('%s is missing_token', async (_what, header) => {
  const error = await failure(header)
  expect(error).toMatchObject({ code: 'missing_token', status: 401 })
  expect(error.headers['www-authenticate']).toBe('Bearer realm="workspace-data-api"')
})

test.each([
  ['an unknown key', `Bearer ${makeApiKey()}`],
  ['junk', 'Bearer junk'],
  ['a token with a space', `Bearer ${valid} x`],
  ['two tokens', `Bearer ${valid}, Bearer ${valid}`],
  ['the key in quotes', `Bearer "${valid}"`],
  ['the key in other letters', `Bearer ${valid.toLowerCase()}`],
  ['Bearer twice', `Bearer Bearer ${valid}`],
  ['a very long token', `Bearer ${'a'.repeat(200_000)}`],
  ['bytes beyond ASCII', 'Bearer \u00fc\u00ff'],
])('%s is invalid_token', async (_what, header) => {
  const error = await failure(header)
  expect(error).toMatchObject({ code: 'invalid_token', status: 401 })
  expect(error.headers['www-authenticate']).toContain('error="invalid_token"')
  expect(error.message).not.toContain(valid)
})

test('after 20 failures a minute the client is told to wait, without a further look-up', async () => {
  for (let time = 0; time < authenticationFailuresMax; time += 1)
    expect((await failure('Bearer junk')).code).toBe('invalid_token')
  const error = await failure('Bearer junk')
  expect(error).toMatchObject({
    code: 'rate_limited',
    status: 429,
    headers: { 'retry-after': '60' },
  })
  expect(fresh).toHaveLength(authenticationFailuresMax)
})

test('a throttled client still enters with a valid key', async () => {
  for (let time = 0; time <= authenticationFailuresMax; time += 1) await failure('Bearer junk')
  expect(await authenticate(authentication, `Bearer ${valid}`, client)).toBe(admitted)
})

test('a missing token never counts as a failure', async () => {
  for (let time = 0; time < 2 * authenticationFailuresMax; time += 1) await failure(null)
  expect((await failure('Bearer junk')).code).toBe('invalid_token')
})

test('another client is not held up', async () => {
  for (let time = 0; time <= authenticationFailuresMax; time += 1) await failure('Bearer junk')
  const other = authenticate(authentication, 'Bearer junk', () => '203.0.113.8')
  await expect(other).rejects.toMatchObject({ code: 'invalid_token' })
})

test('the address of a client with a valid key is not even asked for', async () => {
  const unasked = () => {
    throw new Error('asked')
  }
  expect(await authenticate(authentication, `Bearer ${valid}`, unasked)).toBe(admitted)
})

test('a key made a moment ago is found although the memory does not know it', async () => {
  authentication.keyRing.findFresh = async () => admitted
  expect(await authenticate(authentication, `Bearer ${makeApiKey()}`, client)).toBe(admitted)
})

test('no key opens while keys cannot be read', async () => {
  authentication.keyRing.find = () => Promise.reject(new Error('database away'))
  await expect(authenticate(authentication, `Bearer ${valid}`, client)).rejects.toThrow(
    'database away',
  )
})
