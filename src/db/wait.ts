// Waits for a database that is not there yet: containers start in any order, and a failover takes its time.
// What no waiting mends (a wrong password, a database that does not exist) fails at once.
import { ConfigError } from '../lib/config_error.ts'
import { errorCodeOf, readOnly } from '../lib/error_code.ts'
import { hostUrls } from '../lib/host_urls.ts'
import { withTimeout } from '../lib/timeout.ts'
import { isDatabaseAway } from './lost_connection.ts'
import { MigrationError } from './migrate.ts'
import { certificateMistake, lacksTls } from './tls.ts'

type WaitOptions = {
  /** Milliseconds from now on; 0: one try. */
  patienceMs: number
  /** Resolves when waiting is no longer worth it. */
  stopped: Promise<unknown>
  onAway(reason: string, retryMs: number): void
}

const retryMinMs = 250
const retryMaxMs = 5_000

const mistakes: Record<string, string> = {
  '28P01': 'the user or the password is wrong',
  '28000': 'the user may not connect',
  '3D000': 'the database does not exist',
  // What follows the ? and is not postgres.js's own goes to the server as a setting of the session.
  '42704': 'PostgreSQL refuses a parameter of the address',
  '22023': 'PostgreSQL refuses a parameter of the address',
}

const isReadOnly = (error: unknown) => errorCodeOf(error) === readOnly

const tooManyConnections = '53300'

/** A statement of a migration may fail with some of these codes too, but as an ERROR. */
const mistakeOf = (error: unknown): string | undefined =>
  (error as { severity?: string }).severity === 'ERROR' ? undefined : mistakes[errorCodeOf(error)]

/** The hosts and the name of an address, without user and password. */
function placeOf(url: string) {
  const urls = hostUrls(url).map(one => new URL(one))
  const host = urls.map(one => one.host).join(',')
  return { host, place: host + (urls[0] as URL).pathname }
}

/** An error whose message an operator can act upon. */
function explained(error: unknown, url: string): unknown {
  // A sentence already.
  if (error instanceof MigrationError || error instanceof ConfigError) return error
  const { message } = error as Error
  const { host, place } = placeOf(url)
  if (isReadOnly(error)) return new Error(`DATABASE_URL: the database takes no writes (${place}).`)
  const mistake = mistakeOf(error)
  if (mistake) return new ConfigError(`DATABASE_URL: ${mistake} (${place}: ${message}).`)
  const [certificate, remedy] = certificateMistake(error) ?? []
  if (certificate)
    return new ConfigError(`DATABASE_URL: ${certificate} (${place}: ${message}); ${remedy}.`)
  if (errorCodeOf(error) === tooManyConnections)
    return new Error(
      `DATABASE_URL: the database has no connection left for this process (${place}: ${message}).`,
    )
  if (isDatabaseAway(error))
    return new Error(
      `DATABASE_URL: no database answers at ${host} (${message || errorCodeOf(error)}).`,
    )
  return error
}

/** No waiting mends it, and the error is the same as where no database answers. */
async function requireTls(url: string): Promise<void> {
  if (await lacksTls(url))
    throw new ConfigError(
      `DATABASE_URL: the server has no TLS, which the sslmode asks for (${placeOf(url).place}); set ssl = on there, or sslmode=prefer where the network is trusted.`,
    )
}

/**
 * Does the work, and does it again until the database answers. False: stopped before it did. Throws when it
 * stays away, or when no waiting mends it.
 */
export async function whenDatabaseAnswers(
  url: string,
  work: () => Promise<unknown>,
  { patienceMs, stopped, onAway }: WaitOptions,
): Promise<boolean> {
  const end = performance.now() + patienceMs
  let stopping = false
  void stopped.then(() => {
    stopping = true
  })
  for (let retryMs = retryMinMs; !stopping; retryMs = Math.min(2 * retryMs, retryMaxMs)) {
    try {
      await work()
      return true
    } catch (error) {
      if (isDatabaseAway(error)) await requireTls(url)
      const isWorthWaiting = isDatabaseAway(error) || isReadOnly(error)
      if (!isWorthWaiting || performance.now() + retryMs > end) throw explained(error, url)
      onAway((error as Error).message || errorCodeOf(error), retryMs)
    }
    await withTimeout(stopped, retryMs).catch(() => {})
  }
  return false
}
