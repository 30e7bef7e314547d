// What came to the receiver: for each subscription and event when it came, and whether it was taken.

import { isTaken, moodOf } from '../receiver/flaky_responses.ts'
import type { Received, Receiver } from '../receiver/receiver.ts'

export type Receipt = { at: number; taken: boolean; connection: number }

export type Receipts = {
  receiver: Receiver
  update(): Promise<void>
  /** By path, then by the object of the event, in the order they came. */
  byPath: ReadonlyMap<string, ReadonlyMap<string, Receipt[]>>
  /** When a connection last brought a request. */
  lastUse: ReadonlyMap<number, number>
  /** When the last of these paths received an event whose object fulfils the condition; undefined: one has received none. */
  reachedAt(paths: readonly string[], condition: (objectId: string) => boolean): number | undefined
}

export function openReceipts(receiver: Receiver): Receipts {
  const byPath = new Map<string, Map<string, Receipt[]>>()
  const lastUse = new Map<number, number>()
  let known = 0

  function note({ path, headers, body, at, connection }: Received) {
    const eventId = headers['webhook-id'] ?? ''
    const objectId = JSON.parse(body).object_id
    const byObject = byPath.get(path) ?? new Map<string, Receipt[]>()
    byPath.set(path, byObject)
    const receipts = byObject.get(objectId) ?? []
    byObject.set(objectId, receipts)
    const mood = path.startsWith('/moody/') ? moodOf(eventId, receipts.length + 1) : 'ok'
    receipts.push({ at, taken: isTaken(mood), connection })
    lastUse.set(connection, at)
  }

  return {
    receiver,
    byPath,
    lastUse,
    async update() {
      const requests = await receiver.requests()
      for (const request of requests.slice(known)) note(request)
      known = requests.length
    },
    reachedAt(paths, condition) {
      const firsts = paths.flatMap(path => {
        const found = [...(byPath.get(path) ?? [])].find(([id]) => condition(id))
        return found?.[1].slice(0, 1) ?? []
      })
      return firsts.length < paths.length ? undefined : Math.max(...firsts.map(({ at }) => at))
    },
  }
}
