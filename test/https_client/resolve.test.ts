// The addresses of a host that may be called.
import { expect, test } from 'bun:test'
import { resolveTarget } from '../../src/https_client/resolve.ts'

const to =
  (...addresses: string[]) =>
  async () =>
    addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))

test('every address of a name comes back, in the order the resolver gave', async () => {
  const lookup = to('2606:4700::1111', '8.8.8.8')
  expect(await resolveTarget('hooks.example', [], lookup)).toEqual({ addresses: await lookup() })
})

test.each([
  [['127.0.0.1']],
  [['8.8.8.8', '10.0.0.1']],
  [['10.0.0.1', '8.8.8.8']],
  [['8.8.8.8', '::1']],
  [['8.8.8.8', '::ffff:169.254.169.254']],
  [['8.8.8.8', '64:ff9b::7f00:1']],
  [['8.8.8.8', '']],
])('one forbidden address is enough to block: %j', async addresses => {
  expect(await resolveTarget('hooks.example', [], to(...addresses))).toEqual({
    errorClass: 'blocked',
  })
})

test('allowed networks open private addresses', async () => {
  const allowed = ['10.0.0.0/8']
  expect(await resolveTarget('hooks.example', allowed, to('10.0.0.1', '8.8.8.8'))).toHaveProperty(
    'addresses',
  )
  expect(await resolveTarget('hooks.example', allowed, to('10.0.0.1', '127.0.0.1'))).toEqual({
    errorClass: 'blocked',
  })
})

test('a name without an address, and a resolver that fails, is dns', async () => {
  expect(await resolveTarget('hooks.example', [], to())).toEqual({ errorClass: 'dns' })
  const failing = () => Promise.reject(new Error('SERVFAIL'))
  expect(await resolveTarget('hooks.example', [], failing)).toEqual({ errorClass: 'dns' })
})

test('a resolver that never answers is dns after three seconds', async () => {
  const start = performance.now()
  const never = () => new Promise<never>(() => {})
  expect(await resolveTarget('hooks.example', [], never)).toEqual({ errorClass: 'dns' })
  expect(performance.now() - start).toBeGreaterThan(2_900)
})

test("the system's resolver knows no .invalid, and knows this machine", async () => {
  expect(await resolveTarget('nowhere.invalid', [])).toEqual({ errorClass: 'dns' })
  expect(await resolveTarget('localhost', [])).toEqual({ errorClass: 'blocked' })
})

test('an address needs no resolver and is judged all the same', async () => {
  const never = () => Promise.reject(new Error('asked'))
  expect(await resolveTarget('8.8.8.8', [], never)).toEqual({
    addresses: [{ address: '8.8.8.8', family: 4 }],
  })
  expect(await resolveTarget('[2606:4700::1111]', [], never)).toEqual({
    addresses: [{ address: '2606:4700::1111', family: 6 }],
  })
  expect(await resolveTarget('127.0.0.1', [], never)).toEqual({ errorClass: 'blocked' })
  expect(await resolveTarget('[::1]', [], never)).toEqual({ errorClass: 'blocked' })
  expect(await resolveTarget('[::1]', ['::1'], never)).toHaveProperty('addresses')
})
