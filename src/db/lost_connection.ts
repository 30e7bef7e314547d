// Which errors are the connection's, not the statement's.
import { errorCodeOf } from '../lib/error_code.ts'

// postgres.js's own codes for a connection that ended, the system's, and SQLSTATE for one the server ended.
const lost = [
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
  ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01'],
]

// Not reached, or reached while it starts, stops or is full.
const away = [
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['CONNECT_TIMEOUT', '53300', '57P02', '57P03', '08000', '08001', '08003', '08004', '08006'],
]

/** It was made, and ended under the statement, which may have been carried out or not. */
export const isLostConnection = (error: unknown) => lost.includes(errorCodeOf(error))

/** No database answers; another one may in a moment. */
export const isDatabaseAway = (error: unknown) =>
  isLostConnection(error) || away.includes(errorCodeOf(error))
