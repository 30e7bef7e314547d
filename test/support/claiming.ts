// The parameters of a claim, as the two statements take them that claim deliveries.
import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/db/database.ts'
import type { ClaimedRow } from '../../src/delivery/claimed.ts'
import { type Claim, openQueue } from '../../src/delivery/queue.ts'

export type Asked = {
  claim?: string
  total_room?: number
  other_room?: number
  rooms?: Record<string, number>
}

export const claimParameters = ({
  claim = randomUUID(),
  total_room = 1000,
  other_room = 1000,
  rooms = {},
}: Asked = {}): Claim['parameters'] => ({
  claim,
  lease_ms: 60_000,
  total_room,
  other_room,
  subscription_ids: Object.keys(rooms),
  rooms: Object.values(rooms),
})

const nothing = { total: 0, rooms: new Map(), otherRoom: 0 }

/** What a claim's rows tell of, as whoever sends it reads them. */
export const claimedOf = (rows: readonly ClaimedRow[]) =>
  openQueue({} as Database, work => work, 60_000)
    .begin(nothing)
    .deliveries(rows)

/** In place of a deliverer: has room for nothing. */
export const noDeliverer = {
  claimNew: () => ({
    claim: { parameters: claimParameters({ total_room: 0 }), deliveries: () => [], lose() {} },
    take() {},
  }),
}
