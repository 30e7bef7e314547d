// A peer that reads: how it is started, and how it is asked for the rows that the service is asked for.
import { Lead } from '../src/model/lead.ts'
import type { BenchDatabase } from './databases.ts'
import type { Running } from './processes.ts'
import type { Reach } from './row.ts'

export type ReadKind = 'list' | 'search' | 'one'

export type ReadPeer = {
  name: string
  /** What the service over the peer has to be; none for a framework that does nothing but read. */
  reach?: Reach
  start(database: BenchDatabase, poolMax: number): Promise<Running>
  /** The page of 50, those that contain a text in search form, or the lead of an id. */
  request(kind: ReadKind, value: string): string
}

export const leadFields: string[] = Object.keys(Lead.properties)

/** Connections to PostgreSQL that a peer is tried with; the fastest is measured. */
export const poolSizes = [4, 8, 10]

/** No slower than products that answer the same question, though it looks up keys and counts requests. */
export const productReach: Reach = { atLeast: 1 }
