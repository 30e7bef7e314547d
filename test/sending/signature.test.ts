// The headers of a delivery, verified as a receiver would: by the published library, and by hand.
import { expect, test } from 'bun:test'
import { randomBytes, randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { makeSigningSecret, sealSecret } from '../../src/model/signing_secret.ts'
import { openSigner, signedHeaders, signingKeys } from '../../src/sending/signature.ts'

const eventId = '3f0c2f0e-6a0f-4d9e-9f1c-0a4f5b6c7d8e'
const body = JSON.stringify({ id: eventId, data: { name: 'Jürgen Groß 🙂', note: 'a.b.c' } })
const now = () => Math.floor(Date.now() / 1_000)

function signed(secrets: [string, ...string[]], timestamp = now()) {
  const [primary, ...others] = secrets
  const live = [primary, ...others].map(signingKeys)
  return signedHeaders({ eventId, body, timestamp, primary: signingKeys(primary), live })
}

test('a digest worked out elsewhere (openssl dgst -sha256 -hmac) is the one made here', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const headers = signedHeaders({
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    timestamp: 1614265330,
    primary: signingKeys(secret),
    live: [signingKeys(secret)],
  })
  expect(headers).toEqual({
    'X-Service-Signature': 'v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49d4369ad2530f8964',
    'X-Service-Timestamp': '1614265330',
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    // The example in the Standard Webhooks libraries' own tests.
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

const [young, old] = [makeSigningSecret(), makeSigningSecret()]

// [when the old secret ends, whether it leads, who verifies webhook-signature, who made X-Service-Signature]
test.each<[string, number, boolean, string[], string]>([
  ['before it is switched, the old one leads and both verify', 60_000, true, [young, old], old],
  ['once it is switched, the new one leads and both verify', 60_000, false, [young, old], young],
  ['when its time is over, the new one alone verifies', -1, true, [young], young],
])('of a rotated secret: %s', (_, endsInMs, old_secret_leads, verifying, leading) => {
  const key = randomBytes(32)
  const [id, until] = [randomUUID(), new Date(Date.now() + endsInMs).toISOString()]
  const [secret, old_secret] = [sealSecret(young, [key], id), sealSecret(old, [key], id)]
  const row = { id, secret, old_secret, old_secret_until: until, old_secret_leads }
  const headers = openSigner([key])(row, eventId, body)
  const accepts = (one: string) => {
    try {
      return Boolean(new Webhook(one).verify(body, headers))
    } catch {
      return false
    }
  }
  expect([young, old, makeSigningSecret()].filter(accepts)).toEqual(verifying)
  const timestamp = Number(headers['X-Service-Timestamp'])
  expect(headers['X-Service-Signature']).toBe(
    signed([leading], timestamp)['X-Service-Signature'] ?? '',
  )
})
