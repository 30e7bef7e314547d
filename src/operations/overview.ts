// What the owner looks at: whether all is well, how webhooks fare, what the feed holds.
import type { Database } from '../db/database.ts'
import { type EventType, eventTypes } from '../model/event_type.ts'
import { findCursors } from './found_deliveries.ts'

// "10000+" says as much as the number would, and counting on costs.
export const countMax = 10_000

async function overviewOf(database: Database, count_max: number) {
  const [overview] = await database.list('getOverview', { count_max })
  if (!overview) throw new Error('the feed has no row')
  return overview
}

export const getOverview = (database: Database) => overviewOf(database, countMax)

/** Head and horizon of the feed. */
export const getFeed = async (database: Database): Promise<{ head: number; horizon: number }> =>
  await overviewOf(database, 0)

/** All, with whether they need the owner. */
export const listHookNames = (database: Database) => database.list('listHookNames', {})

export type HookName = Awaited<ReturnType<typeof listHookNames>>[number]

// Retries of a prompt receiver are sent within a second or two; one that takes so long does not answer, or too slowly.
export const behindSeconds = 30

export type UnworkedSince = Pick<
  Awaited<ReturnType<typeof getOverview>>,
  'at' | 'unsequenced_since' | 'unowned_since'
>

/** As the overview has it, without counting anything. */
export async function getWorkerState(database: Database): Promise<UnworkedSince> {
  const [found] = await database.list('getWorkerState', {})
  if (!found) throw new Error('the state of the worker has no row')
  return found
}

/** Whether events have waited for longer than behindSeconds without a process that sequences or delivers them. */
export function isWorkerMissing({ at, unsequenced_since, unowned_since }: UnworkedSince): boolean {
  const isLate = (since: string | null) =>
    since !== null && Date.parse(at) - Date.parse(since) > behindSeconds * 1_000
  return isLate(unsequenced_since) || isLate(unowned_since)
}

/** unseen: no process delivers to any subscription, and nothing has waited long for it. */
export type WorkerNow = 'works' | 'unseen' | 'missing'

/** For every page: where a process delivers, nothing else is looked at. */
export async function findWorker(database: Database): Promise<WorkerNow> {
  const [found] = await database.list('getLiveWorker', {})
  if (found?.live === true) return 'works'
  return isWorkerMissing(await getWorkerState(database)) ? 'missing' : 'unseen'
}

/** Subscriptions whose receivers do not answer, or too slowly. */
export const listHooksBehind = (database: Database) =>
  database.list('listHooksBehind', { seconds: behindSeconds, count_max: countMax })

export type HookBehind = Awaited<ReturnType<typeof listHooksBehind>>[number]

/** All, without counting what is untried by those that are active: a hundred of them would count long. */
export const listHookReports = (database: Database, count_max = countMax) =>
  database.list('listHookReports', { id: null, count_max })

export type HookReport = Awaited<ReturnType<typeof listHookReports>>[number]

export async function getHookReport(database: Database, id: string): Promise<HookReport | null> {
  const [report] = await database.list('listHookReports', { id, count_max: countMax })
  return report ?? null
}

/** A text that changes with the state of the subscription, or of the delivery at `cursor`, and when it waits for too long. Null: no such subscription. */
export async function getHookPulse(
  database: Database,
  subscription_id: string,
  cursor: number | null,
) {
  const [found] = await database.list('getHookPulse', {
    subscription_id,
    cursor,
    seconds: behindSeconds,
  })
  return found?.pulse ?? null
}

/** A text that changes when something happens at any subscription, when one has waited for too long, or nothing delivers. */
export async function getWorkspacePulse(database: Database): Promise<string> {
  const [found] = await database.list('getWorkspacePulse', { seconds: behindSeconds })
  return found?.pulse ?? ''
}

/** Newest first; `before` is the cursor of the last event seen. No types: all. */
export const listNewestEvents = (
  database: Database,
  { types, before, limit }: { types: EventType[]; before: number | null; limit: number },
) =>
  database.list('listNewestEvents', {
    event_types: types.length === 0 ? eventTypes : types,
    before,
    row_limit: limit,
  })

/** The same of what a text is about; see findCursors. */
export async function listEventsAbout(
  database: Database,
  searched: string,
  { types, before, limit }: { types: EventType[]; before: number | null; limit: number },
) {
  return await database.list('listEventsAt', {
    cursors: await findCursors(database, searched),
    event_types: types.length === 0 ? eventTypes : types,
    before,
    row_limit: limit,
  })
}

/** Null: erased, expired, or there is no event at this cursor. */
export async function getEvent(database: Database, cursor: number) {
  const [event] = await database.list('getEvent', { cursor })
  return event ?? null
}

/** Whom an event is about; null: it names no person, or is gone. */
export async function getEventPerson(database: Database, cursor: number): Promise<string | null> {
  const args = { cursors: [cursor], event_types: eventTypes, before: null, row_limit: 1 }
  const [event] = await database.list('listEventsAt', args)
  return event?.person?.trim() || null
}

/** Every subscription that lists the type of one of these events; `state` is null where it was never to get it. */
export const listEventReceivers = (database: Database, cursors: readonly number[]) =>
  database.list('listEventReceivers', { cursors })

/** Of each event and state how many subscriptions; `subscription_id` is one of them. */
export const countEventReceivers = (database: Database, cursors: readonly number[]) =>
  database.list('countEventReceivers', { cursors })

export type ReceiverCount = Awaited<ReturnType<typeof countEventReceivers>>[number]
