// Events in memory: those this process sequenced, and pages read for subscriptions that are behind. Entries live for a
// second, so an erased event is not sent much later, and take `bytesMax` at most; the newest stays even if it is larger.
import type { LogEvent } from '../feed/log_event.ts'

/** All events of `types` above `after`, up to `to`, in the order of their cursors. */
type Segment = { after: number; to: number; types: readonly string[]; events: LogEvent[] }

type CachedSegment = {
  after: number
  to: number
  types: ReadonlySet<string>
  events: LogEvent[]
  at: number
  bytes: number
}

/** `event`: the next one. `end`: none up to here. `missing`: what comes after `after` is not in memory. */
type CacheResult = { event: LogEvent; to: number } | 'missing' | { end: number }

export type LogCache = {
  add(segment: Segment): void
  /** The next event of one of the types above a cursor. */
  next(after: number, types: ReadonlySet<string>): CacheResult
  /** These were erased. */
  forget(cursors: readonly number[]): void
  clear(): void
  /** How often it was cleared. */
  clears(): number
}

const bytesMax = 64 * 1_024 * 1_024
const keptMs = 1_000
// What was sequenced within this time is kept as one segment.
const joinedMs = 100

// One character beyond Latin-1, such as a dash, makes the whole text take two bytes for each.
const bytesOf = (events: readonly LogEvent[]) =>
  events.reduce((sum, { body }) => sum + 2 * (body?.length ?? 0), 0)

/** The index of the first event above a cursor. */
function indexAfter(events: readonly LogEvent[], cursor: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle]?.cursor ?? 0) <= cursor) low = middle + 1
    else high = middle
  }
  return low
}

const holdsAll = (cached: ReadonlySet<string>, types: ReadonlySet<string>) => {
  if (cached === types) return true
  for (const type of types) if (!cached.has(type)) return false
  return true
}

const isSame = (cached: ReadonlySet<string>, types: readonly string[]) =>
  cached.size === types.length && types.every(type => cached.has(type))

export function openLogCache(now = () => performance.now()): LogCache {
  // Oldest first.
  let segments: CachedSegment[] = []
  let bytes = 0
  let clears = 0

  function evict() {
    const oldest = now() - keptMs
    let gone = 0
    for (const { at, bytes: size } of segments) {
      // The newest stays whatever its size: it was read to be sent now, and would be read again and again.
      if (at >= oldest && (bytes <= bytesMax || gone === segments.length - 1)) break
      bytes -= size
      gone += 1
    }
    if (gone > 0) segments = segments.slice(gone)
  }

  const segmentAfter = (after: number, types: ReadonlySet<string>) =>
    segments.findLast(one => one.after <= after && after < one.to && holdsAll(one.types, types))

  return {
    add({ after, to, types, events }) {
      if (to <= after) return
      const size = bytesOf(events)
      bytes += size
      const last = segments.at(-1)
      if (last && last.to === after && now() - last.at < joinedMs && isSame(last.types, types)) {
        last.events.push(...events)
        last.to = to
        last.bytes += size
      } else segments.push({ after, to, types: new Set(types), events, at: now(), bytes: size })
      evict()
    },
    next(after, types) {
      evict()
      let from = after
      for (;;) {
        const segment = segmentAfter(from, types)
        if (segment === undefined) return from === after ? 'missing' : { end: from }
        const { events, to } = segment
        for (let index = indexAfter(events, from); index < events.length; index += 1) {
          const event = events[index] as LogEvent
          if (types.has(event.type)) return { event, to }
        }
        from = to
      }
    },
    forget(cursors) {
      for (const { events } of segments)
        for (const cursor of cursors) {
          const event = events[indexAfter(events, cursor - 1)]
          if (event?.cursor === cursor) event.body = null
        }
    },
    clear() {
      segments = []
      bytes = 0
      clears += 1
    },
    clears: () => clears,
  }
}
