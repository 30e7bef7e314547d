// The code of an error from PostgreSQL, postgres.js or the system.

/** A SQLSTATE such as 40P01, else CONNECTION_CLOSED, ENOENT and the like; empty for an error without a code. */
export const errorCodeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? '')

export const insufficientPrivilege = '42501'
export const lockNotAvailable = '55P03'
export const deadlock = '40P01'
/** What a statement read is from before a change that it waited for: it is to be sent again. */
export const oldSnapshot = '40001'
/** A failover that is not over, or a database that is to take no writes. A start waits it out. */
export const readOnly = '25006'
export const diskFull = '53100'

// PostgreSQL's codes for a statement that took too long, for one that waited too long for a lock (a role's lock_timeout),
// and for one that waited in a circle with a writer.
const undone = ['57014', lockNotAvailable, deadlock]

/** A statement that PostgreSQL gave up: nothing of it was committed, and it can be tried again. */
export const isUndone = (error: unknown): boolean => undone.includes(errorCodeOf(error))
