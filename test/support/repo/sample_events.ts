// The example events of a migrated database, as GET /hooks/sample answers and as the API description shows them.
import { join } from 'node:path'
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'

export const sampleEventsFile = join(import.meta.dir, '../../../src/api/docs/events.json')

export const sampleEvents = (sql: Sql): Promise<unknown[]> =>
  openDatabase(sql, queries).rows('listSampleEvents', { event_type: null })
