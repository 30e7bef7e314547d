// A service that could not open the signing secrets there are does not start; one without any key serves the rest.
import { beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../../src/api/start.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import {
  keyIdOf,
  makeSigningSecret,
  openSecret,
  sealSecret,
  secretKeyId,
} from '../../src/model/signing_secret.ts'
import { rotateSecret } from '../../src/operations/hooks.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { hook } from '../support/database/factory.ts'
import {
  allowedTargets,
  bearer,
  quietLog,
  sendTo,
  subscriptionBody,
  useService,
} from '../support/http/service.ts'
import { secretsKey, testConfig } from '../support/http/settings.ts'

const api = useService(allowedTargets)
const oldKey = Buffer.from(secretsKey, 'base64')
const newKey = Buffer.alloc(32, 9)

beforeEach(async () => {
  await api.sql`delete from hook_subscriptions`
})

const seal = (key: Buffer, id: string) => sealSecret(makeSigningSecret(), [key], id)

/** A subscription whose secret is sealed with a key; another one may seal a secret that signs for so long from now on. */
async function subscribed(key: Buffer, old?: Buffer, signsMs = 60_000) {
  const id = crypto.randomUUID()
  await hook(api.sql, {
    id,
    secret: seal(key, id),
    ...(old && {
      old_secret: seal(old, id),
      old_secret_until: new Date(Date.now() + signsMs).toISOString(),
    }),
  })
}

const given = (...keys: Buffer[]) => ({
  SECRETS_KEY: keys.map(key => key.toString('base64')).join(','),
})

/** Starts another service on the same database, subscribes at it, and stops it; the status and the id. */
async function subscribeAt(settings: Record<string, string>, ask = async (_base: string) => {}) {
  const config = testConfig({ ...allowedTargets, ...settings })
  const service = await startService(config, api.url, quietLog())
  const base = `${service.url}/api/v1`
  try {
    await ask(base)
    const sent = { method: 'POST', body: JSON.stringify(subscriptionBody()), ...bearer(api.key) }
    const { status, body } = await sendTo(base, '/hooks', sent)
    return { status, data: body.data }
  } finally {
    await service.stop()
  }
}

test.each<[string, () => Promise<void>, Record<string, string>, string]>([
  [
    'has another key, and names which it needs',
    () => subscribed(oldKey),
    given(newKey),
    `SECRETS_KEY must hold the key that the webhooks' signing secrets are encrypted with (key ${secretKeyId(oldKey)}); the keys given are ${secretKeyId(newKey)}.`,
  ],
  [
    'opens the new secret and not the old one of a rotation',
    () => subscribed(newKey, oldKey),
    given(newKey),
    secretKeyId(oldKey),
  ],
])('a service does not start that %s', async (_what, subscribe, settings, sentence) => {
  await subscribe()
  await expect(subscribeAt(settings)).rejects.toThrow(sentence)
})

test.each<[string, () => Promise<void>, Buffer[]]>([
  ['no subscriptions and any key', async () => {}, [newKey]],
  [
    'an old secret of another key that signs no more',
    () => subscribed(newKey, oldKey, -1),
    [newKey],
  ],
  ['the new key in front of the old one', () => subscribed(oldKey), [newKey, oldKey]],
])('with %s it starts, and seals with the first key', async (_what, subscribe, keys) => {
  await subscribe()
  const { status, data } = await subscribeAt(given(...keys))
  const [row] = await api.sql`select secret from hook_subscriptions where id = ${data.id}`
  expect([status, keyIdOf(row?.secret)]).toEqual([201, secretKeyId(newKey)])
  expect(openSecret(row?.secret, keys, data.id)).toBe(data.signing_secret)
})

test('where no key can be kept all works but subscribing, until there are subscriptions', async () => {
  const dir = makeDataDir('no-key')
  writeFileSync(join(dir, 'file'), '')
  const settings = { SECRETS_KEY: '', DATA_DIR: join(dir, 'file/below') }
  const { status } = await subscribeAt(settings, async base => {
    for (const path of ['/leads', '/hooks'])
      expect((await sendTo(base, path, bearer(api.key))).status).toBe(200)
  })
  expect(status).toBe(500)
  await subscribed(oldKey)
  await expect(subscribeAt(settings)).rejects.toThrow('the keys given are none')
  removeDataDir(dir)
})

test('where one can be kept, services that share DATA_DIR share it, and one that does not is refused', async () => {
  const [shared, other] = [makeDataDir('own-key'), makeDataDir('own-key')]
  for (const _ of [1, 2])
    expect((await subscribeAt({ SECRETS_KEY: '', DATA_DIR: shared })).status).toBe(201)
  const start = subscribeAt({ SECRETS_KEY: '', DATA_DIR: other })
  await expect(start).rejects.toThrow('SECRETS_KEY must hold the key')
  for (const dir of [shared, other]) removeDataDir(dir)
})

test('a secret that was changed by hand keeps no service from starting, and two rotations replace it', async () => {
  await subscribed(oldKey)
  const [changed] = await api.sql`update hook_subscriptions set secret = 'nonsense' returning id`
  expect((await subscribeAt({})).status).toBe(201)
  const database = openDatabase(api.sql, queries)
  const rotate = () => rotateSecret(database, changed?.id, [oldKey], true)
  const rotated = [await rotate(), await rotate()]
  const [row] = await api.sql`
    select secret, old_secret from hook_subscriptions where id = ${changed?.id}`
  const opened = [row?.old_secret, row?.secret].map(one => openSecret(one, [oldKey], changed?.id))
  expect(opened).toEqual(rotated as string[])
})
