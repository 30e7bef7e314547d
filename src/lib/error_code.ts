// What an error of PostgreSQL, of postgres.js or of the system is known by; its message is for people.

/** A SQLSTATE such as 40P01, else CONNECTION_CLOSED, ENOENT and the like; empty for an error without a code. */
export const errorCodeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null)?.code ?? '')
