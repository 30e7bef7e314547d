// A service that could not open the signing secrets there are does not start; one without any key serves the rest.
import { beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '../../src/api/start.ts'
import { openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { keyIdOf, openSecret, secretKeyId } from '../../src/model/signing_secret.ts'
import { rotateSecret } from '../../src/operations/hooks.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import {
  allowedTargets,
  bearer,
  quietLog,
  sendTo,
  subscribe,
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

/** Starts another service on the same database, asks it, and stops it. */
async function withService<Result>(
  settings: Record<string, string>,
  ask: (base: string) => Promise<Result>,
): Promise<Result> {
  const config = testConfig({ ...allowedTargets, ...settings })
  const service = await startService(config, api.url, quietLog())
  try {
    return await ask(`${service.url}/api/v1`)
  } finally {
    await service.stop()
  }
}

const subscribeAt = (base: string) =>
  sendTo(base, '/hooks', {
    method: 'POST',
    body: JSON.stringify(subscriptionBody()),
    ...bearer(api.key),
  })

const sealed = async (id: string): Promise<string> =>
  (await api.sql`select secret from hook_subscriptions where id = ${id}`)[0]?.secret

const nothing = async () => {}

test('a service with another key refuses to start, and says which key it needs', async () => {
  await subscribe(api)
  const start = withService({ SECRETS_KEY: newKey.toString('hex') }, nothing)
  await expect(start).rejects.toThrow(
    `SECRETS_KEY must hold the key that the webhooks' signing secrets are encrypted with (key ${secretKeyId(oldKey)}); the keys given are ${secretKeyId(newKey)}.`,
  )
})

/** Leaves one subscription whose secret has the new key; the old one, sealed with the old key, signs until then. */
async function rotate(until: Date) {
  const { id } = (await subscribe(api)).body.data
  const other = await withService(
    { SECRETS_KEY: `${newKey.toString('hex')},${secretsKey}` },
    async base => (await subscribeAt(base)).body.data.id,
  )
  await api.sql`delete from hook_subscriptions where id = ${other}`
  await api.sql`update hook_subscriptions set old_secret = ${await sealed(id)}, old_secret_until = ${until.toISOString()},
    secret = ${`v1.${secretKeyId(newKey)}.${Buffer.alloc(12).toString('base64url')}.${Buffer.alloc(16).toString('base64url')}`}`
}

test('so does one whose key opens the new secret and not the old one of a rotation', async () => {
  await rotate(new Date(Date.now() + 60_000))
  const start = withService({ SECRETS_KEY: newKey.toString('hex') }, nothing)
  await expect(start).rejects.toThrow(secretKeyId(oldKey))
})

test('an old secret that signs no more needs no key', async () => {
  await rotate(new Date(Date.now() - 1))
  const settings = { SECRETS_KEY: newKey.toString('hex') }
  expect(await withService(settings, async base => (await subscribeAt(base)).status)).toBe(201)
})

test('with the new key in front of the old one it starts, and seals with the new one', async () => {
  const before = (await subscribe(api)).body.data
  const keys = [newKey, oldKey]
  const after = await withService(
    { SECRETS_KEY: keys.map(key => key.toString('base64')).join(',') },
    async base => (await subscribeAt(base)).body.data,
  )
  expect(keyIdOf(await sealed(before.id))).toBe(secretKeyId(oldKey))
  expect(keyIdOf(await sealed(after.id))).toBe(secretKeyId(newKey))
  for (const { id, signing_secret } of [before, after])
    expect(openSecret(await sealed(id), keys, id)).toBe(signing_secret)
})

test('without subscriptions any key will do', async () => {
  const settings = { SECRETS_KEY: newKey.toString('hex') }
  expect(await withService(settings, async base => (await subscribeAt(base)).status)).toBe(201)
})

test('where no key can be kept all works but subscribing, until there are subscriptions', async () => {
  const dir = makeDataDir('no-key')
  writeFileSync(join(dir, 'file'), '')
  const settings = { SECRETS_KEY: '', DATA_DIR: join(dir, 'file/below') }
  const statuses = await withService(settings, async base => [
    (await sendTo(base, '/leads', bearer(api.key))).status,
    (await sendTo(base, '/hooks', bearer(api.key))).status,
    (await subscribeAt(base)).body.error.code,
  ])
  expect(statuses).toEqual([200, 200, 'internal_error'])
  await subscribe(api)
  await expect(withService(settings, nothing)).rejects.toThrow('the keys given are none')
  removeDataDir(dir)
})

test('where one can be kept, services that share DATA_DIR share it, and one that does not is refused', async () => {
  const dirs = [makeDataDir('own-key'), makeDataDir('own-key')]
  const settings = { SECRETS_KEY: '', DATA_DIR: dirs[0] as string }
  expect(await withService(settings, async base => (await subscribeAt(base)).status)).toBe(201)
  expect(await withService(settings, async base => (await subscribeAt(base)).status)).toBe(201)
  const start = withService({ ...settings, DATA_DIR: dirs[1] as string }, nothing)
  await expect(start).rejects.toThrow('SECRETS_KEY must hold the key')
  for (const dir of dirs) removeDataDir(dir)
})

test('a secret that was changed by hand keeps no service from starting, and two rotations replace it', async () => {
  await subscribe(api)
  const [changed] = await api.sql`update hook_subscriptions set secret = 'nonsense' returning id`
  expect(await withService({}, async base => (await subscribeAt(base)).status)).toBe(201)
  const database = openDatabase(api.sql, queries)
  const rotate = () => rotateSecret(database, changed?.id, [oldKey], true)
  const rotated = [await rotate(), await rotate()]
  const [row] = await api.sql`
    select secret, old_secret from hook_subscriptions where id = ${changed?.id}`
  const opened = [row?.old_secret, row?.secret].map(one => openSecret(one, [oldKey], changed?.id))
  expect(opened).toEqual(rotated as string[])
})
