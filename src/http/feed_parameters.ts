// What reading the event feed takes and tells (spec part 4, /events).
import { Type } from '@sinclair/typebox'
import { type EventType, eventTypes, isEventType } from '../model/event_type.ts'
import { Exact } from '../model/schema.ts'
import { integerParameter, type QueryParameter } from './parameters.ts'

// 2^53 - 1: the last integer that every JSON reader keeps exact.
const cursorMax = Number.MAX_SAFE_INTEGER

export const afterParameter: QueryParameter<number | null> = {
  ...integerParameter({ min: 0, max: cursorMax, absent: 0, description: '' }),
  schema: { type: 'integer', minimum: 0, maximum: cursorMax },
  description:
    'Cursor of the last processed event (`meta.next_cursor`); omitted: from the oldest event retained.',
  absent: null,
  expected: 'the cursor of an event: a whole number in plain decimal digits',
  code: 'invalid_cursor',
}

export const typesParameter: QueryParameter<EventType[] | null> = {
  schema: { type: 'array', items: { type: 'string', enum: eventTypes }, minItems: 1 },
  style: { style: 'form', explode: false },
  description: 'Only events of these types, separated by commas.',
  absent: null,
  expected: `a comma-separated list of event types: ${eventTypes.join(', ')}`,
  code: 'invalid_types',
  parse: readTypes,
}

// All types with their commas are shorter; what is longer repeats itself.
const typesLengthMax = 2_000

function readTypes(text: string): EventType[] | undefined {
  const named = [...new Set(text.slice(0, typesLengthMax).split(','))]
  return named.every(isEventType) ? named : undefined
}

export const FeedMeta = Exact({
  next_cursor: Type.Integer({
    minimum: 0,
    description: 'Send it as `after` on the next call.',
  }),
  count: Type.Integer({ description: 'Number of entries in `data`.' }),
})
