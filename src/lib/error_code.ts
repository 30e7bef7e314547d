// The code of an error from PostgreSQL, postgres.js or the system.

/** A SQLSTATE such as 40P01, else CONNECTION_CLOSED, ENOENT and the like; empty for an error without a code. */
export const errorCodeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? '')
