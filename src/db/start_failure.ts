// What PostgreSQL refuses, for the operator: one table of sentences, each with the way out or the page that has it.
import { ConfigError } from '../lib/config_error.ts'
import {
  errorCodeOf,
  insufficientPrivilege,
  isDatabaseAway,
  readOnly,
  tooManyConnections,
} from '../lib/error_code.ts'
import { hostUrls } from '../lib/host_urls.ts'

/** What the code means, and the remedy where the sentence does not name it. */
type Fault = [code: RegExp, is: string, remedy?: string]

/** No waiting mends these. */
const final: Fault[] = [
  [/^28P01$/, 'the user or the password is wrong'],
  [/^28000$/, 'the user may not connect'],
  [/^3D000$/, 'the database does not exist'],
  // What follows the ? and is not the driver's own goes to the server as a setting of the session.
  [/^(42704|22023)$/, 'PostgreSQL refuses a parameter of the address'],
  [
    /^(3F000|42P01)$/,
    'the search_path of this login does not lead to the tables',
    'see docs/operations/postgresql.md',
  ],
  [
    new RegExp(`^${insufficientPrivilege}$`),
    'this login may not do what is needed here',
    'see docs/operations/rights.md: migrate and roles are run as the owner',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    "the server's certificate has another name",
    'the address has to have the host as the certificate has it',
  ],
  [/^CERT_HAS_EXPIRED$/, "the server's certificate has expired", 'it has to be renewed there'],
  // OpenSSL's reasons, as Bun and Deno name them.
  [
    /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_)/,
    "the server's certificate is not trusted",
    'sslrootcert=FILE in the address names the certificate of its authority',
  ],
]

// A pooler has this code for a database that is away, too.
const poolerRefusal: Fault = [
  /^08P01$/,
  'a pooler refuses a parameter of the session',
  'docs/operations/pgbouncer.md has the line that it needs',
]

const passing: Fault[] = [
  [new RegExp(`^${readOnly}$`), 'the database takes no writes'],
  [new RegExp(`^${tooManyConnections}$`), 'the database has no connection left for this process'],
]

// A statement of a migration may fail with these as well.
const ofConnecting = /^(3D000|42704|22023)$/

const faultIn = (faults: Fault[], error: unknown) =>
  faults.find(([code]) => code.test(errorCodeOf(error)))

function finalFault(error: unknown): Fault | undefined {
  const { message = '', severity } = error as { message?: string; severity?: string }
  if (/startup parameter/.test(message)) return faultIn([poolerRefusal], error)
  if (severity === 'ERROR' && ofConnecting.test(errorCodeOf(error))) return undefined
  return faultIn(final, error)
}

/** Whether the database may answer in a moment, or take writes. */
export const isWorthWaiting = (error: unknown): boolean =>
  finalFault(error) === undefined &&
  (faultIn(passing, error) !== undefined || isDatabaseAway(error))

/** An error whose message an operator can act upon; one that is no fault of these tables as it is. */
export function explain(error: unknown, url: string): unknown {
  if (error instanceof ConfigError) return error
  const { message } = error as Error
  const urls = hostUrls(url).map(one => new URL(one))
  const host = urls.map(one => one.host).join(',')
  const sentence = ([, is, remedy]: Fault) =>
    `DATABASE_URL: ${is} (${host}${urls[0]?.pathname}: ${message})${remedy ? `; ${remedy}` : ''}.`
  const found = finalFault(error)
  if (found) return new ConfigError(sentence(found))
  const passes = faultIn(passing, error)
  if (passes) return new Error(sentence(passes))
  if (!isDatabaseAway(error)) return error
  const mode = urls[0]?.searchParams.get('sslmode') ?? 'disable'
  const hint = mode === 'disable' ? '' : '; a server without TLS needs sslmode=prefer'
  return new Error(
    `DATABASE_URL: no database answers at ${host} (${message || errorCodeOf(error)})${hint}.`,
  )
}
