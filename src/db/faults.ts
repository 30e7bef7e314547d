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

type Fault = {
  code: RegExp
  /** Where the code alone does not tell. */
  message?: RegExp
  is: string
  remedy?: string
  /** Waiting mends it. */
  passes?: true
  /** While the connection is made: statements of a migration fail with the same code. */
  whileConnecting?: true
}

const faults: Fault[] = [
  { code: /^28P01$/, is: 'the user or the password is wrong' },
  { code: /^28000$/, is: 'the user may not connect' },
  { code: /^3D000$/, is: 'the database does not exist', whileConnecting: true },
  // What follows the ? and is not the driver's own goes to the server as a setting of the session.
  {
    code: /^(42704|22023)$/,
    is: 'PostgreSQL refuses a parameter of the address',
    whileConnecting: true,
  },
  {
    code: /^08P01$/,
    message: /startup parameter/,
    is: 'a pooler refuses a parameter of the session',
    remedy: 'docs/operations/pgbouncer.md has the line that it needs',
  },
  {
    code: /^(3F000|42P01)$/,
    is: 'the search_path of this login does not lead to the tables',
    remedy: 'see docs/operations/postgresql.md',
  },
  {
    code: new RegExp(`^${insufficientPrivilege}$`),
    is: 'this login may not do what is needed here',
    remedy: 'see docs/operations/rights.md: migrate and roles are run as the owner',
  },
  {
    code: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    is: "the server's certificate has another name",
    remedy: 'the address has to have the host as the certificate has it',
  },
  {
    code: /^CERT_HAS_EXPIRED$/,
    is: "the server's certificate has expired",
    remedy: 'it has to be renewed there',
  },
  // OpenSSL's reasons, as Bun and Deno name them.
  {
    code: /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_)/,
    is: "the server's certificate is not trusted",
    remedy: 'sslrootcert=FILE in the address names the certificate of its authority',
  },
  { code: new RegExp(`^${readOnly}$`), is: 'the database takes no writes', passes: true },
  {
    code: new RegExp(`^${tooManyConnections}$`),
    is: 'the database has no connection left for this process',
    passes: true,
  },
]

type Refusal = { message: string; severity?: string }

function faultOf(error: unknown): Fault | undefined {
  const { message = '', severity = 'FATAL' } = (error ?? {}) as Partial<Refusal>
  return faults.find(
    fault =>
      fault.code.test(errorCodeOf(error)) &&
      (fault.message?.test(message) ?? true) &&
      !(fault.whileConnecting && severity === 'ERROR'),
  )
}

/** Whether the database may answer in a moment, or take writes. */
export const isWorthWaiting = (error: unknown): boolean =>
  faultOf(error)?.passes ?? (faultOf(error) === undefined && isDatabaseAway(error))

/** The hosts and the name of an address, without user and password. */
export function placeOf(url: string) {
  const urls = hostUrls(url).map(one => new URL(one))
  const host = urls.map(one => one.host).join(',')
  return { host, place: host + (urls[0] as URL).pathname }
}

/** An error whose message an operator can act upon; one that is no fault of this table as it is. */
export function explain(error: unknown, url: string): unknown {
  if (error instanceof ConfigError) return error
  const { message } = error as Error
  const { host, place } = placeOf(url)
  const fault = faultOf(error)
  if (fault) {
    const remedy = fault.remedy ? `; ${fault.remedy}` : ''
    const sentence = `DATABASE_URL: ${fault.is} (${place}: ${message})${remedy}.`
    return fault.passes ? new Error(sentence) : new ConfigError(sentence)
  }
  if (!isDatabaseAway(error)) return error
  return new Error(
    `DATABASE_URL: no database answers at ${host} (${message || errorCodeOf(error)}).`,
  )
}
