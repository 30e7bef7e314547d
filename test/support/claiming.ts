// The parameters of a claim, as the two statements take them that claim deliveries.
import { randomUUID } from 'node:crypto'
import type { Claim } from '../../src/delivery/queue.ts'

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

/** In place of a deliverer: has room for nothing. */
export const noDeliverer = {
  claimNew: () => ({
    claim: { parameters: claimParameters({ total_room: 0 }), deliveries: () => [], lose() {} },
    take() {},
  }),
}
