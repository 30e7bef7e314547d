// What the statements that claim answer: rows of subscriptions and of events, which together tell of deliveries.

/** A delivery under this process's claim, with the exact body to send; null: its event is gone. */
export type Delivery = {
  id: number
  claim: string
  subscription_id: string
  /** Recorded before this one. */
  attempts: number
  target_url: string
  /** Encrypted, as stored. */
  secret: string
  old_secret: string | null
  old_secret_leads: boolean
  event_id: string | null
  body: string | null
}

type Subscribed = Pick<Delivery, 'target_url' | 'secret' | 'old_secret' | 'old_secret_leads'>

/**
 * A row of the statements that claim: of a subscription with JSON arrays of what was claimed of it, without them where
 * somebody else was claiming, or of an event.
 */
export type ClaimedRow = { [Name in keyof Subscribed]: Subscribed[Name] | null } & {
  subscription_id: string | null
  ids: string | null
  cursors: string | null
  attempts: string | null
  /** Of the event; a test event has the id of its delivery, negative. */
  cursor: number | null
  body: string | null
}

type Told = Pick<Delivery, 'event_id' | 'body'>

const gone: Told = { event_id: null, body: null }

// As the feed's query writes it; a test event is written otherwise.
const feedsId = /^\{"id":"([\da-f-]{36})"/

const eventOf = (body: string): Told => {
  const id = feedsId.exec(body)?.[1] ?? JSON.parse(body).id
  return { event_id: id, body }
}

const numbers = (json: string | null): number[] => (json === null ? [] : JSON.parse(json))

/** A delivery has no body when its event is gone. What is claimed is of a subscription that the same statement saw. */
export function deliveriesOf(rows: readonly ClaimedRow[], claim: string): Delivery[] {
  const events = new Map<number, Told>()
  for (const { cursor, body } of rows)
    if (cursor !== null && body !== null) events.set(cursor, eventOf(body))
  const deliveries: Delivery[] = []
  for (const row of rows) {
    const { subscription_id, target_url, secret, old_secret, old_secret_leads } = row
    if (
      subscription_id === null ||
      target_url === null ||
      secret === null ||
      old_secret_leads === null
    )
      continue
    const subscription = { subscription_id, target_url, secret, old_secret, old_secret_leads }
    const cursors = numbers(row.cursors)
    const attempts = numbers(row.attempts)
    numbers(row.ids).forEach((id, place) => {
      const event = events.get(cursors[place] ?? Number.NaN) ?? gone
      deliveries.push({ id, claim, attempts: attempts[place] ?? 0, ...subscription, ...event })
    })
  }
  return deliveries
}

/** Subscriptions with work that were left because somebody else was claiming there at that moment. */
export const busyOf = (rows: readonly ClaimedRow[]) =>
  rows.flatMap(({ subscription_id, ids }) =>
    subscription_id !== null && ids === null ? [subscription_id] : [],
  )
