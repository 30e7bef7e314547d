// What each key asked for in the last seconds, gathered until it is written down: route, status and duration, nothing personal.
// The log has it all.
import type { Log, RequestLine } from './log.ts'

export type KeyRequest = { key_id: string; at: Date } & Pick<
  RequestLine,
  'request_id' | 'method' | 'route' | 'tool' | 'status' | 'duration_ms'
>

export type KeyRequestCount = { key_id: string; hour: Date; requests: number }

export type GatheredRequests = { lines: KeyRequest[]; counts: KeyRequestCount[] }

// Past so many keys in a few seconds the lines of the one that was quiet longest go; all are counted.
const keysMax = 200
const hourMs = 3_600_000

type Use = { lines: KeyRequest[]; next: number }
type Counts = Map<string, Map<number, number>>

function noteLine(use: Use, noted: KeyRequest, linesMax: number): void {
  use.lines[use.next] = noted
  use.next = (use.next + 1) % linesMax
}

function notedOf(line: RequestLine, key_id: string, at: Date): KeyRequest {
  const { request_id, method, route, tool, status, duration_ms } = line
  const noted = { key_id, at, request_id, method, route, status, duration_ms }
  return tool === undefined ? noted : { ...noted, tool }
}

function addTo(counts: Counts, keyId: string, at: Date): void {
  const hours = counts.get(keyId) ?? new Map<number, number>()
  const hour = Math.floor(at.getTime() / hourMs)
  hours.set(hour, (hours.get(hour) ?? 0) + 1)
  counts.set(keyId, hours)
}

const oldestFirst = ({ lines, next }: Use) => [...lines.slice(next), ...lines.slice(0, next)]

const countsOf = (counts: Counts): KeyRequestCount[] =>
  [...counts].flatMap(([key_id, hours]) =>
    [...hours].map(([hour, requests]) => ({ key_id, hour: new Date(hour * hourMs), requests })),
  )

/** The requests of each key that the log reports: the last lines, and how many, since they were last taken. Until `end` is called. */
export function gatherRequests(log: Log, linesMax: number) {
  let uses = new Map<string, Use>()
  let counts: Counts = new Map()

  function useOf(keyId: string): Use {
    const use = uses.get(keyId) ?? { lines: [], next: 0 }
    uses.delete(keyId)
    uses.set(keyId, use)
    if (uses.size > keysMax) uses.delete(uses.keys().next().value as string)
    return use
  }

  const end = log.subscribe(({ name, fields }) => {
    if (name !== 'request' || fields.key_id === undefined) return
    const at = new Date()
    noteLine(useOf(fields.key_id), notedOf(fields, fields.key_id, at), linesMax)
    addTo(counts, fields.key_id, at)
  })
  return {
    end,
    takeRequests(): GatheredRequests {
      const taken = { lines: [...uses.values()].flatMap(oldestFirst), counts: countsOf(counts) }
      uses = new Map()
      counts = new Map()
      return taken
    },
  }
}
