// Webhook subscriptions.
import type { Database, JsonPage } from '../db/database.ts'
import type { EventType } from '../model/event_type.ts'

/** Event[]: one example per type, or of one type; made by the triggers that make live events. */
export const listSampleEvents = (database: Database, type: EventType | null): Promise<JsonPage> =>
  database.listJson('listSampleEvents', { event_type: type })
