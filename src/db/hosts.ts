// Several hosts in one address (postgres://user:password@a:5432,b:5432/name): a primary and those that may take over.
// Which of them takes writes is asked anew for new connections. postgres.js has this too (3.4.9), but while no host
// takes writes its requests hang and its connections are made over and over without a pause (docs/development/upstream.md).
import { connect as dial, type Socket } from 'node:net'
import postgres from 'postgres'
import { errorCodeOf } from '../lib/error_code.ts'
import { withTimeout } from '../lib/timeout.ts'
import { certificateMistake, hostOf, readTlsOptions } from './tls.ts'

const lookMs = 2_000
// A wrong user or password, a database that does not exist, a parameter that PostgreSQL refuses.
const mistakes = new Set(['28P01', '28000', '3D000', '42704', '22023'])
// A pool opens its connections side by side, and several pools at once.
const keptMs = 500

async function takesWrites(address: string): Promise<boolean> {
  const { url, ssl } = readTlsOptions(address)
  const sql = postgres(url, {
    ...(ssl && { ssl }),
    max: 1,
    connect_timeout: lookMs / 1_000,
    fetch_types: false,
    prepare: false,
    onnotice: () => {},
  })
  try {
    const [row] = await withTimeout(sql`select pg_is_in_recovery() as standby`.execute(), lookMs)
    return row?.standby === false
  } finally {
    void sql.end({ timeout: 0 }).catch(() => {})
  }
}

async function look(urls: string[]): Promise<URL> {
  const looks = urls.map(async url => {
    if (await takesWrites(url)) return new URL(url)
    throw new Error('a standby')
  })
  return await Promise.any(looks).catch(({ errors }: AggregateError) => {
    // What no waiting mends is said as it is: another host answers the same, but each has a certificate of its own.
    const mistake = errors.find(error => mistakes.has(errorCodeOf(error)))
    if (mistake) throw mistake
    if (errors.every(certificateMistake)) throw errors[0]
    const hosts = urls.map(url => new URL(url).host).join(', ')
    // SQLSTATE of a connection that cannot be made.
    throw Object.assign(new Error(`none of ${hosts} takes writes`), { code: '08001' })
  })
}

const found = new Map<string, { at: number; primary: Promise<URL> }>()

function findPrimary(urls: string[]): Promise<URL> {
  const name = urls.join()
  const known = found.get(name)
  if (known && performance.now() - known.at < keptMs) return known.primary
  const primary = look(urls)
  found.set(name, { at: performance.now(), primary })
  return primary
}

/** A connection to whichever host takes writes. Fails with 08001 when none does. */
export async function dialPrimary(urls: string[]): Promise<Socket & { host: string }> {
  const { href, port } = await findPrimary(urls)
  const host = hostOf(href)
  const socket = dial(Number(port || 5432), host)
  const connected = new Promise((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject)
  })
  try {
    await withTimeout(connected, lookMs)
  } catch (error) {
    socket.destroy()
    throw error
  }
  // postgres.js takes the name for TLS from here.
  return Object.assign(socket, { host })
}
