// TLS to PostgreSQL, as docs/operations/postgresql.md describes it: a real server, with right and wrong certificates.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Sql } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { administer } from '../support/database/server.ts'
import { secretsKey } from '../support/http/settings.ts'
import { launch, missing, run, runtimes } from '../support/process/program.ts'
import {
  type CertificatePair,
  type Certificates,
  makeCertificates,
} from '../support/receiver/certificates.ts'
import { until } from '../support/until.ts'

const plain = useDatabase()
const dataDir = makeDataDir('tls')
const authority = join(dataDir, 'authority.pem')
let server: EmbeddedPostgres
let sql: Sql
let certificates: Certificates

/** As the server's own user, which alone may read the key. */
const put = (file: string, text: string) =>
  sql.unsafe(
    `copy (select unnest(string_to_array('${text.replaceAll('\r', '').trim()}', E'\\n')))
    to program 'umask 077; cat > ${file}'`,
  )

async function useCertificate({ cert, key }: CertificatePair): Promise<void> {
  await put('server.crt', cert)
  await put('server.key', key)
  await sql.unsafe('select pg_reload_conf()')
}

beforeAll(async () => {
  useMadeCluster(dataDir)
  server = await startEmbeddedPostgres({ dataDir })
  sql = administer(server.url)
  certificates = await makeCertificates()
  await Bun.write(authority, certificates.ca)
  await useCertificate(certificates.right)
  await sql.unsafe('alter system set ssl = on')
  await sql.unsafe('select pg_reload_conf()')
  await until(async () => (await sql`show ssl`)[0]?.ssl === 'on')
}, 60_000)
afterAll(async () => {
  await sql.end()
  await server.stop()
  removeDataDir(dataDir)
})

const environment = (parameters: string) => ({
  DATABASE_URL: `${server.url}?${parameters}`,
  SECRETS_KEY: secretsKey,
})
const verified = `sslmode=verify-full&sslrootcert=${authority}`

/** Once the server has the certificate, whose reload takes a moment. */
const keysList = (parameters: string, isOver: (said: string) => boolean) =>
  until(async () => {
    const ended = await run('Bun', ['keys', 'list'], environment(parameters))
    return isOver(ended.said) ? ended : undefined
  }, 20_000)

for (const runtime of runtimes)
  test.skipIf(missing(runtime) !== undefined)(
    `on ${runtime}, all connections of a service are encrypted to a server whose authority sslrootcert names`,
    async () => {
      await useCertificate(certificates.right)
      const serving = await launch(runtime, environment(verified))
      await serving.listens()
      const opened = () => sql`
        select pg_stat_ssl.ssl from pg_stat_ssl join pg_stat_activity using (pid)
        where pg_stat_activity.application_name like 'workspace-data-api%'`
      await until(async () => (await opened()).length > 2)
      const connections = await opened()
      expect(connections.filter(({ ssl }) => ssl !== 't' && ssl !== true)).toEqual([])
      expect(await serving.stop()).toBe(0)
    },
    40_000,
  )

test('of several hosts each is verified by its own name', async () => {
  await useCertificate(certificates.right)
  const DATABASE_URL = `${server.url.replace('@', '@elsewhere.invalid:1,')}?${verified}`
  const { code } = await run('Bun', ['keys', 'list'], { DATABASE_URL })
  expect(code).toBe(0)
})

test('a host without TLS is no mistake of the address while another host is away', async () => {
  const DATABASE_URL = `${plain.url.replace('@', '@127.0.0.1:1,')}?${verified}`
  const { code, said } = await run('Bun', ['keys', 'list'], { DATABASE_URL })
  expect([code, said]).toEqual([1, expect.stringContaining('no database answers')])
})

const place = String.raw`127\.0\.0\.1:\d+/workspace`

test.each([
  [
    'untrusted',
    'sslmode=verify-full',
    String.raw`is not trusted \(${place}: self.signed certificate\); sslrootcert=FILE in the address names the certificate of its authority`,
  ],
  [
    'otherName',
    verified,
    String.raw`has another name \(${place}: .+\); the address has to have the host as the certificate has it`,
  ],
  [
    'expired',
    verified,
    String.raw`has expired \(${place}: certificate has expired\); it has to be renewed there`,
  ],
] as const)(
  'a certificate that is %s ends a command and a start with a sentence',
  async (kind, parameters, reason) => {
    await useCertificate(certificates[kind])
    const sentence = new RegExp(`^DATABASE_URL: the server's certificate ${reason}\\.$`)
    const { code } = await keysList(parameters, said => sentence.test(said))
    expect(code).toBe(2)
    const started = await run('Bun', ['serve'], environment(parameters))
    expect([started.code, started.said]).toEqual([2, expect.stringMatching(sentence)])
  },
  30_000,
)

test('sslmode=prefer takes a server without TLS', async () => {
  const { code } = await run('Bun', ['keys', 'list'], {
    DATABASE_URL: `${plain.url}?sslmode=prefer`,
  })
  expect(code).toBe(0)
})

test('sslmode=require encrypts, and looks at no certificate', async () => {
  await useCertificate(certificates.untrusted)
  const { code } = await keysList('sslmode=require', () => true)
  expect(code).toBe(0)
})
