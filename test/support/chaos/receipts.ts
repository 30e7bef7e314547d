// What came to the receiver: for each subscription and event when it came, and whether it was taken.

import { isTaken, moodOf } from '../receiver/flaky_responses.ts'
import type { Receiver } from '../receiver/receiver.ts'

export type Receipt = { at: number; taken: boolean }

export type Receipts = {
  receiver: Receiver
  update(): Promise<void>
  /** By path, then by the object of the event, in the order they came. */
  byPath: ReadonlyMap<string, ReadonlyMap<string, Receipt[]>>
  /** When an event whose object fulfils the condition came first. */
  firstOf(condition: (objectId: string) => boolean): number | undefined
}

export function openReceipts(receiver: Receiver): Receipts {
  const byPath = new Map<string, Map<string, Receipt[]>>()
  const firsts = new Map<string, number>()
  let known = 0

  function note(path: string, eventId: string, objectId: string, at: number) {
    const byObject = byPath.get(path) ?? new Map<string, Receipt[]>()
    byPath.set(path, byObject)
    const receipts = byObject.get(objectId) ?? []
    byObject.set(objectId, receipts)
    const mood = path.startsWith('/moody/') ? moodOf(eventId, receipts.length + 1) : 'ok'
    receipts.push({ at, taken: isTaken(mood) })
    if (!firsts.has(objectId)) firsts.set(objectId, at)
  }

  return {
    receiver,
    byPath,
    async update() {
      const requests = await receiver.requests()
      for (const { path, headers, body, at } of requests.slice(known))
        note(path, headers['webhook-id'] ?? '', JSON.parse(body).object_id, at)
      known = requests.length
    },
    firstOf: condition => [...firsts].find(([id]) => condition(id))?.[1],
  }
}
