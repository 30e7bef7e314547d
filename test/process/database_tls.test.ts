// TLS to PostgreSQL, as docs/operations/postgresql.md describes it: a real server, with right and wrong certificates.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Sql } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/postgres.ts'
import { makeDataDir, removeDataDir, useMadeCluster } from '../support/database/data_dir.ts'
import { administer } from '../support/database/server.ts'
import { secretsKey } from '../support/http/settings.ts'
import { launch, missing, run } from '../support/process/program.ts'
import { type Certificates, makeCertificates } from '../support/receiver/certificates.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

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

async function useCertificate(kind: keyof Omit<Certificates, 'ca'>): Promise<void> {
  const { cert, key } = certificates[kind]
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
  await useCertificate('right')
  await sql.unsafe('alter system set ssl = on')
  await sql.unsafe('select pg_reload_conf()')
  await until(async () => (await sql`show ssl`)[0]?.ssl === 'on')
})
afterAll(async () => {
  await sql.end()
  await server.stop()
  removeDataDir(dataDir)
})

const verified = `sslmode=verify-full&sslrootcert=${authority}`
const environment = (parameters: string) => ({
  DATABASE_URL: `${server.url}?${parameters}`,
  SECRETS_KEY: secretsKey,
})

test.each((['Deno', 'the binary'] as const).filter(one => missing(one) === undefined))(
  'on %s all connections of a service are encrypted to a server whose authority sslrootcert names',
  async runtime => {
    const serving = await launch(runtime, environment(verified))
    await serving.listens()
    const connections = await until(async () => {
      const opened = await sql`
        select pg_stat_ssl.ssl::text as ssl from pg_stat_ssl join pg_stat_activity using (pid)
        where pg_stat_activity.application_name like 'workspace-data-api%'`
      return opened.length > 2 ? opened : undefined
    })
    expect(new Set(connections.map(({ ssl }) => ssl))).toEqual(new Set(['true']))
    expect(await serving.stop()).toBe(0)
  },
)

test('of several hosts each is verified by its own name', async () => {
  const DATABASE_URL = `${server.url.replace('@', '@elsewhere.invalid:1,')}?${verified}`
  expect((await run('Bun', ['keys', 'list'], { DATABASE_URL })).code).toBe(0)
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
  'a certificate that is %s ends a start with a sentence',
  async (kind, parameters, reason) => {
    await useCertificate(kind)
    const sentence = new RegExp(`^DATABASE_URL: the server's certificate ${reason}\\.$`)
    // Once the server has the certificate, whose reload takes a moment.
    await until(async () => {
      const { code, said } = await run('Bun', ['serve'], environment(parameters))
      return code === 2 && sentence.test(said)
    }, 20_000)
  },
)

test('sslmode=require encrypts, and looks at no certificate; sslmode=prefer takes a server without TLS', async () => {
  await useCertificate('untrusted')
  await until(
    async () => (await run('Bun', ['keys', 'list'], environment('sslmode=require'))).code === 0,
  )
  await sql.unsafe('alter system set ssl = off')
  await sql.unsafe('select pg_reload_conf()')
  await until(
    async () => (await run('Bun', ['keys', 'list'], environment('sslmode=prefer'))).code === 0,
  )
})
