// How much keys ask for, by hour: answered, refused with which code, limited; and when each was last used. Each process counts
// what its log reports, and adds it to the tables every few seconds, never on a request.
import type { Database } from '../db/database.ts'
import type { Log, RequestLine } from '../observability/log.ts'

const hourMs = 3_600_000

type Count = { key_id: string; hour: Date; code: string; requests: number; at: Date; route: string }

export type KeyUsage = {
  /** Writes what was counted. What cannot be written is in the log alone. */
  record(): Promise<void>
  /** Ends counting. */
  end(): void
}

const codeOf = ({ code, status }: RequestLine) => code ?? (status >= 400 ? String(status) : '')

export function openKeyUsage(log: Log, database: Database): KeyUsage {
  let counts = new Map<string, Count>()

  function count(line: RequestLine, key_id: string) {
    const at = new Date()
    const hour = new Date(Math.floor(at.getTime() / hourMs) * hourMs)
    const code = codeOf(line)
    const name = `${key_id} ${hour.getTime()} ${code}`
    const requests = (counts.get(name)?.requests ?? 0) + 1
    const route = `${line.method} ${line.route}${line.tool ? ` ${line.tool}` : ''}`
    counts.set(name, { key_id, hour, code, requests, at, route })
  }

  const end = log.subscribe(({ name, fields }) => {
    if (name === 'request' && fields.key_id !== undefined) count(fields, fields.key_id)
  })

  return {
    end,
    async record() {
      const taken = [...counts.values()]
      if (taken.length === 0) return
      counts = new Map()
      await database.rows('recordKeyUsage', {
        key_ids: taken.map(({ key_id }) => key_id),
        hours: taken.map(({ hour }) => hour),
        codes: taken.map(({ code }) => code),
        counts: taken.map(({ requests }) => requests),
        last_ats: taken.map(({ at }) => at),
        last_routes: taken.map(({ route }) => route),
      })
    },
  }
}

const limitedCode = 'rate_limited'

export type Refusal = { code: string; at: Date; route: string }

type UsageHour = { at: Date; answered: number; refused: number; limited: number }

export type KeyReport = {
  /** 24 of them, the oldest first. */
  hours: UsageHour[]
  total: Omit<UsageHour, 'at'>
  /** Of refusals other than by the limit; null: there was none. */
  commonest: string | null
  last: Refusal | null
}

type Row = Awaited<ReturnType<typeof listUsage>>[number]

const listUsage = (database: Database, key_ids: string[]) =>
  database.rows('listKeyUsage', { key_ids })

function kindOf({ code }: Row): 'answered' | 'refused' | 'limited' {
  if (code === '') return 'answered'
  return code === limitedCode ? 'limited' : 'refused'
}

const none = { answered: 0, refused: 0, limited: 0 }

function reportOf(rows: readonly Row[]): KeyReport {
  const thisHour = Math.floor(Date.now() / hourMs)
  const hours = Array.from({ length: 24 }, (_, index): UsageHour => {
    return { at: new Date((thisHour - 23 + index) * hourMs), ...none }
  })
  const total = { ...none }
  const codes = new Map<string, number>()
  let last: Refusal | null = null
  for (const row of rows) {
    const kind = kindOf(row)
    total[kind] += row.requests
    const hour = hours[Math.floor(Date.parse(row.hour) / hourMs) - thisHour + 23]
    if (hour) hour[kind] += row.requests
    if (kind === 'answered') continue
    if (kind === 'refused') codes.set(row.code, (codes.get(row.code) ?? 0) + row.requests)
    const at = new Date(row.last_at)
    if (last === null || at > last.at) last = { code: row.code, at, route: row.last_route }
  }
  const [commonest] = [...codes].toSorted(([, one], [, other]) => other - one)
  return { hours, total, commonest: commonest?.[0] ?? null, last }
}

/** Of the last 24 hours. */
export async function listKeyReports(database: Database, key_ids: string[]) {
  const rows = await listUsage(database, key_ids)
  const byKey = Map.groupBy(rows, ({ key_id }) => key_id)
  return (keyId: string): KeyReport => reportOf(byKey.get(keyId) ?? [])
}

/** Of all keys together. */
export async function getUsage(database: Database): Promise<KeyReport['total']> {
  const [usage] = await database.rows('getUsage', {})
  return usage ?? none
}
