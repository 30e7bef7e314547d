// Copies leads, households, appointments and signals, and follows the feed, into a store of yours: see ../copy_everything.md.
type Row = Record<string, unknown>
type Answer<Data> = { data: Data; meta: { next_cursor: number }; head: number }
export type Get = <Data>(path: string) => Promise<Answer<Data> | undefined>
export type Store = {
  put(kind: string, id: string, row: Row): Promise<void>
  get(kind: string, id: string): Promise<Row | undefined>
  remove(kind: string, id: string): Promise<void>
  ids(kind: string): Promise<string[]>
  keepCursor(cursor: number): Promise<void>
}

const timeoutMs = 60_000
// Waits of 1, 2, 4 … 60 s: about seven minutes in all, enough for a restart of the service.
const failuresMax = 12
const pauseMaxSeconds = 60

class Refused extends Error {}

function pause(reason: string, seconds: number) {
  process.stderr.write(`${reason}; next try in ${seconds} s\n`)
  return new Promise(resolve => setTimeout(resolve, seconds * 1_000))
}

/** One request. Undefined: 404. A number: the seconds to wait before it is asked again. Throws Refused for what stays refused. */
async function ask(url: string, key: string) {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (response.status === 404) return undefined
  const body = await response.text()
  if (response.ok) return { ...JSON.parse(body), head: Number(response.headers.get('x-feed-head')) }
  if (response.status === 429) return Number(response.headers.get('retry-after')) || 5
  if (response.status < 500) throw new Refused(`${response.status}: ${body}`)
  throw new Error(`${response.status}: ${body}`)
}

/** Undefined for what is not there. Waits where the service asks for it, and tries again what was not answered. */
export const client =
  (base: string, key: string): Get =>
  async path => {
    for (let failures = 0; ; ) {
      try {
        const answer = await ask(base.replace(/\/+$/, '') + path, key)
        if (typeof answer !== 'number') return answer
        await pause('429', answer)
      } catch (error) {
        failures += 1
        if (error instanceof Refused || failures > failuresMax) throw error
        await pause(String(error), Math.min(2 ** (failures - 1), pauseMaxSeconds))
      }
    }
  }

/** A list or the feed, which are always there. */
async function getPage<Data>(get: Get, path: string): Promise<Answer<Data>> {
  const answer = await get<Data>(path)
  if (!answer) throw new Error(`${path} is not there: the base must end in /api/v1.`)
  return answer
}

// An entry whose `order` changes moves within its list.
const lists = [
  { kind: 'lead', path: '/leads?include_archived=true', id: 'id', order: 'created_at' },
  { kind: 'haushalt', path: '/kontakte?include=haushalt', id: 'kontakt_key', order: 'updated_at' },
  { kind: 'appointment', path: '/appointments?', id: 'id', order: 'starts_at' },
  { kind: 'signal', path: '/signals?', id: 'id', order: 'detected_at' },
]
type List = (typeof lists)[number]

const limit = 200
const step = 100

/** Reads a list until it meets a row of `known`, or to its end; returns how many pages that took. */
async function pass(
  get: Get,
  list: List,
  known: Set<string>,
  onRow: (row: Row) => Promise<void>,
): Promise<number> {
  const placeOf = (row: Row) => `${row[list.id]} ${row[list.order]}`
  const own = new Set<string>()
  let [offset, pages] = [0, 0]
  for (;;) {
    const path = `${list.path}&limit=${limit}&offset=${offset}`
    const { data: rows } = await getPage<Row[]>(get, path)
    const places = rows.map(placeOf)
    if (offset > 0 && !places.some(place => own.has(place))) {
      offset = Math.max(0, offset - step)
      continue
    }
    pages += 1
    for (const row of rows) if (!own.has(placeOf(row))) await onRow(row)
    const isEnd = rows.length < limit || places.some(place => known.has(place))
    for (const place of places) own.add(place)
    if (isEnd) {
      for (const place of own) known.add(place)
      return pages
    }
    offset += step
  }
}

/** A row as a single read gives it. Signals have none: their events hold them. */
async function fetchRow(get: Get, kind: string, id: string): Promise<Row | undefined> {
  if (kind === 'lead') return (await get<Row>(`/leads/${id}`))?.data
  if (kind === 'appointment')
    return (await get<{ appointment: Row }>(`/meetings/${id}/intelligence`))?.data.appointment
  return (await get<Row>(`/kontakte/${encodeURIComponent(id)}/haushalt`))?.data
}

async function refresh(get: Get, store: Store, kind: string, id: string): Promise<void> {
  const row = await fetchRow(get, kind, id)
  // A household answers under every key of its contact, and its record may stand under any: one entry, under the surviving key.
  const survivingKey = row && kind === 'haushalt' ? String(row.canonical_key) : id
  if (!row || survivingKey !== id) await store.remove(kind, id)
  if (row) await store.put(kind, survivingKey, row)
}

/** Every list into the store; what it held and no list shows any more is dropped. */
export async function sweep(get: Get, store: Store): Promise<void> {
  for (const list of lists) {
    const gone = new Set(await store.ids(list.kind))
    const known = new Set<string>()
    const keep = async (row: Row) => {
      const id = String(row[list.id])
      gone.delete(id)
      await store.put(list.kind, id, list.kind === 'haushalt' ? (row.haushalt as Row) : row)
    }
    while ((await pass(get, list, known, keep)) > 1);
    for (const id of gone) {
      if (list.kind === 'signal') await store.remove(list.kind, id)
      else await refresh(get, store, list.kind, id)
    }
  }
}

type Event = { event_type: string; occurred_at: string; data: Row }

async function putSignal(store: Store, { occurred_at, data }: Event): Promise<void> {
  const { signal_id, kind, title, score, status, lead_id } = data
  const id = String(signal_id)
  // Until the next sweep: no event holds detected_at.
  const before = (await store.get('signal', id)) ?? { detected_at: occurred_at }
  const now = { id, kind, title, score, status, lead_id, updated_at: occurred_at }
  await store.put('signal', id, { ...before, ...now })
}

async function apply(get: Get, store: Store, event: Event): Promise<void> {
  const { event_type, data } = event
  const refreshed = (kind: string, id: unknown) => refresh(get, store, kind, String(id))
  if (event_type === 'kontakt.merged') {
    await refreshed('haushalt', data.alias_key)
    await refreshed('haushalt', data.canonical_key)
  } else if (event_type.startsWith('lead.')) await refreshed('lead', data.lead_id)
  else if (data.appointment_id) await refreshed('appointment', data.appointment_id)
  else if (event_type.startsWith('signal.')) await putSignal(store, event)
  else if (data.kontakt_key) await refreshed('haushalt', data.kontakt_key)
}

/** Follows the feed to its present end; returns the cursor to go on from. */
export async function tail(get: Get, store: Store, after: number): Promise<number> {
  for (let cursor = after; ; ) {
    const path = `/events?after=${cursor}&limit=200`
    const { data, meta, head } = await getPage<Event[]>(get, path)
    for (const event of data) await apply(get, store, event)
    cursor = meta.next_cursor
    await store.keepCursor(cursor)
    if (cursor >= head) return cursor
  }
}

export async function firstCopy(get: Get, store: Store): Promise<number> {
  const { head } = await getPage(get, '/events?limit=1')
  await sweep(get, store)
  return await tail(get, store, head)
}
