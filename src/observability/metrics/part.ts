// What both parts of a process, api and worker, count alike.
import { type Database, databaseThrough } from '../../db/database.ts'
import type { Log, Part } from '../log.ts'
import type { MetricName } from './catalog.ts'
import { add, set } from './series.ts'

/** Makes the cells of one series. */
export type Take = (name: MetricName, labels?: Record<string, string>) => Float64Array

/** Returns the database, its statements counted. */
export type WatchDatabase = (database: Database) => Database

export const unwatched: WatchDatabase = database => database

export type CommonNumbers = {
  faults: Float64Array
  listener: Float64Array
  statements: Float64Array
  inFlight: Float64Array
}

export function takeCommon(take: Take, part: Part): CommonNumbers {
  return {
    faults: take('wda_faults_total', { part }),
    listener: take('wda_listener_up', { part }),
    statements: take('wda_database_statements_total', { part }),
    inFlight: take('wda_database_statements_in_flight', { part }),
  }
}

/** The log; what it hears of is counted. */
export const watchCommon = ({ faults, listener }: CommonNumbers, log: Log): Log => ({
  ...log,
  fault(...details) {
    add(faults)
    log.fault(...details)
  },
  listenerEstablished(part) {
    set(listener, 1)
    log.listenerEstablished(part)
  },
  listenerLost(part, reason) {
    set(listener, 0)
    log.listenerLost(part, reason)
  },
})

/** The database; every statement is counted when it is sent, and in flight until it is answered or fails. */
export const watchStatements =
  ({ statements, inFlight }: CommonNumbers): WatchDatabase =>
  database => {
    const ended = () => add(inFlight, -1)
    return databaseThrough((_name, send) => {
      add(statements)
      add(inFlight)
      const sent = send(database)
      // Counts next to the answer and does not delay it.
      sent.then(ended, ended)
      return sent
    })
  }
