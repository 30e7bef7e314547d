// The example event of a type under an id of its own, as a test event is sent.
import { randomUUID } from 'node:crypto'
import examples from '../api/docs/events.json' with { type: 'json' }
import { type EventType, eventTypes, isEventType } from '../model/event_type.ts'
import { UsageError } from './output.ts'

export type SampleEvent = { type: string; id: string; body: string }

/** Throws UsageError for a type that there is not. */
export function readEventType(text: string): EventType {
  if (!isEventType(text))
    throw new UsageError(`The event type must be one of ${eventTypes.join(', ')}.`)
  return text
}

/** Throws UsageError for a type that there is not. */
export function sampleOf(text: string): SampleEvent {
  const type = readEventType(text)
  const example = examples.find(({ event_type }) => event_type === type)
  const id = randomUUID()
  const event = { ...example, id, occurred_at: new Date().toISOString() }
  return { type, id, body: JSON.stringify(event) }
}
