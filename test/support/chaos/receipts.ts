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
  /** When an event whose object fulfils the condition came first. */
  firstOf(condition: (objectId: string) => boolean): number | undefined
}

export function openReceipts(receiver: Receiver): Receipts {
  const byPath = new Map<string, Map<string, Receipt[]>>()
  const firsts = new Map<string, number>()
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
    if (!firsts.has(objectId)) firsts.set(objectId, at)
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
    firstOf: condition => [...firsts].find(([id]) => condition(id))?.[1],
  }
}
