// Reads the body of POST /hooks, in the contract's order: target_url, event_types, label, source, and then
// what is wrong with target_url itself. Never prints a value: a body may hold anything, at any depth.
import { ApiError } from '../errors.ts'
import { eventTypes, isEventType } from '../model/event_type.ts'
import { type HookSource, hookSources, labelLengthMax } from '../model/hook.ts'
import type { CreateHook } from './hooks.ts'

const isAbsent = (value: unknown) => value === undefined || value === null

function readEventTypes(value: unknown): CreateHook['event_types'] {
  const list: unknown[] = Array.isArray(value) ? value : []
  const known = list.filter(type => typeof type === 'string').filter(isEventType)
  if (known.length === 0 || known.length < list.length)
    throw new ApiError(
      'invalid_event_types',
      `event_types must be an array of one or more of ${eventTypes.join(', ')}.`,
    )
  return [...new Set(known)]
}

/** Counted as JSON Schema counts: a character outside the basic plane is one. */
const isLabel = (text: string) =>
  [...text].length <= labelLengthMax && text.isWellFormed() && !text.includes('\0')

function readLabel(value: unknown): string | null {
  if (isAbsent(value)) return null
  if (typeof value !== 'string' || !isLabel(value))
    throw new ApiError(
      'invalid_request',
      `label must be text of at most ${labelLengthMax} characters, without NUL or a lone surrogate.`,
    )
  return value
}

function readSource(value: unknown): HookSource {
  if (isAbsent(value)) return 'api'
  const source = hookSources.find(one => one === value)
  if (source === undefined)
    throw new ApiError('invalid_request', `source must be one of ${hookSources.join(', ')}.`)
  return source
}

/** Throws missing_target_url, invalid_event_types, invalid_request, invalid_subscription. */
export function readHookBody(body: unknown): CreateHook {
  // JSON that is no object has none of these members: target_url is what it lacks first.
  const { target_url, event_types, label, source }: Record<string, unknown> = Object(body)
  if (isAbsent(target_url) || target_url === '')
    throw new ApiError(
      'missing_target_url',
      'target_url is missing: the body must be a JSON object with target_url and event_types.',
    )
  const wanted = {
    event_types: readEventTypes(event_types),
    label: readLabel(label),
    source: readSource(source),
  }
  if (typeof target_url !== 'string')
    throw new ApiError('invalid_subscription', 'target_url must be a text.')
  return { target_url, ...wanted }
}
