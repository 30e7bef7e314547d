// The code of an error from PostgreSQL, postgres.js or the system.

/** A SQLSTATE such as 40P01, else CONNECTION_CLOSED, ENOENT and the like; empty for an error without a code. */
export const errorCodeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? '')

export const insufficientPrivilege = '42501'
export const lockNotAvailable = '55P03'
export const deadlock = '40P01'
/** A failover that is not over, or a database that is to take no writes. A start waits it out. */
export const readOnly = '25006'
export const diskFull = '53100'
export const tooManyConnections = '53300'

// PostgreSQL's codes for a statement that took too long, for one that waited too long for a lock (a role's lock_timeout),
// and for one that waited in a circle with a writer.
const undone = ['57014', lockNotAvailable, deadlock]

/** A statement that PostgreSQL gave up: nothing of it was committed, and it can be tried again. */
export const isUndone = (error: unknown): boolean => undone.includes(errorCodeOf(error))

// The driver's codes for a connection that ended, the system's, and the server's for one that an operator ended.
const lost = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|ECONNRESET|EPIPE|ETIMEDOUT|57P01)$/
// Not reached, or reached while it starts, stops or is full.
const away =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|53300|57P0.|08...)$/

/** The connection was made, and ended under the statement, which may have been carried out or not. */
export const isLostConnection = (error: unknown): boolean => lost.test(errorCodeOf(error))

/** No database answers; another one may in a moment. */
export const isDatabaseAway = (error: unknown): boolean =>
  isLostConnection(error) || away.test(errorCodeOf(error))
