// The keys of signing secrets: from SECRETS_KEY, or made once and kept in DATA_DIR.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config/settings.ts'
import { ConfigError } from '../../src/lib/config_error.ts'
import { readSecretsKeys } from '../../src/secrets/secrets_key.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'

const dir = makeDataDir('secrets')
afterAll(() => removeDataDir(dir))

const bytes = (value: number) => Buffer.alloc(32, value)
const keysOf = (environment: Record<string, string>) => readSecretsKeys(readConfig(environment))

describe('SECRETS_KEY', () => {
  test.each([
    ['hex', bytes(0xab).toString('hex')],
    ['hex in capitals', bytes(0xab).toString('hex').toUpperCase()],
    ['base64', bytes(0xab).toString('base64')],
    ['base64 without padding', bytes(0xab).toString('base64').replace('=', '')],
    ['base64url', bytes(0xab).toString('base64url')],
  ])('is read from %s', (_form, text) => {
    expect(keysOf({ SECRETS_KEY: text })).toEqual([bytes(0xab)])
  })

  test('may hold several, in order, and then nothing is kept', () => {
    const SECRETS_KEY = `${bytes(2).toString('hex')}, ${bytes(1).toString('base64')}`
    const DATA_DIR = join(dir, 'unused')
    expect(keysOf({ SECRETS_KEY, DATA_DIR })).toEqual([bytes(2), bytes(1)])
    expect(readdirSync(dir)).not.toContain('unused')
  })

  test.each([
    ...['secret', 'a'.repeat(32), 'a'.repeat(63), 'g'.repeat(64), 'a'.repeat(42), 'a'.repeat(45)],
    ...[`${'a'.repeat(64)},`, `,${'a'.repeat(64)}`, `${'a'.repeat(64)};${'b'.repeat(64)}`],
  ])('refuses %s, without repeating it', text => {
    const read = () => readConfig({ SECRETS_KEY: text })
    expect(read).toThrow(ConfigError)
    expect(read).toThrow(
      /^SECRETS_KEY must be 32 bytes in hex or base64, as `openssl rand -base64 32` makes them, several with commas$/,
    )
    expect(read).not.toThrow(text)
  })
})

describe('without SECRETS_KEY', () => {
  test('a key is made once, in a directory that is made too, for this user alone', () => {
    const DATA_DIR = join(dir, 'deep/er')
    const [key] = keysOf({ DATA_DIR })
    expect(key).toHaveLength(32)
    expect(keysOf({ DATA_DIR })).toEqual([key as Buffer])
    expect(readdirSync(DATA_DIR)).toEqual(['secrets_key'])
    expect(statSync(join(DATA_DIR, 'secrets_key')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(DATA_DIR, 'secrets_key'), 'utf8')).toBe(`${key?.toString('base64')}\n`)
    expect(keysOf({ DATA_DIR: join(dir, 'other') })).not.toEqual([key as Buffer])
  })

  test('twelve processes that start at once end with one key', async () => {
    const DATA_DIR = join(dir, 'race')
    mkdirSync(DATA_DIR)
    const program = `
      import { readConfig } from '${join(import.meta.dir, '../../src/config/settings.ts')}'
      import { readSecretsKeys } from '${join(import.meta.dir, '../../src/secrets/secrets_key.ts')}'
      const config = readConfig({ DATA_DIR: '${DATA_DIR}' })
      process.stdout.write('ready')
      for await (const _go of process.stdin) console.log(readSecretsKeys(config)[0].toString('hex'))`
    const children = Array.from({ length: 4 }, () =>
      Bun.spawn(['bun', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    const readers = children.map(child => child.stdout.getReader())
    const next = async (reader: (typeof readers)[number]) =>
      new TextDecoder().decode((await reader.read()).value)
    expect(new Set(await Promise.all(readers.map(next)))).toEqual(new Set(['ready']))
    for (const { stdin } of children) {
      stdin.write('go')
      stdin.end()
    }
    const keys = new Set(await Promise.all(readers.map(next)))
    await Promise.all(children.map(child => child.exited))
    expect(keys.size).toBe(1)
    expect([...keys][0]?.trim()).toMatch(/^[0-9a-f]{64}$/)
    expect(readdirSync(DATA_DIR)).toEqual(['secrets_key'])
  }, 30_000)

  test('a directory that cannot be made or written is reported in a sentence', () => {
    writeFileSync(join(dir, 'file'), '')
    expect(() => keysOf({ DATA_DIR: join(dir, 'file/below') })).toThrow(
      /^SECRETS_KEY must be set: no key can be kept in .*file\/below\/secrets_key \(.*\)\.$/,
    )
  })

  test('a key file that holds no key is reported, and left as it is', () => {
    const DATA_DIR = join(dir, 'broken')
    mkdirSync(DATA_DIR)
    writeFileSync(join(DATA_DIR, 'secrets_key'), 'cut o')
    expect(() => keysOf({ DATA_DIR })).toThrow(/^SECRETS_KEY must be set: .*it holds no key/)
    expect(readFileSync(join(DATA_DIR, 'secrets_key'), 'utf8')).toBe('cut o')
  })
})
