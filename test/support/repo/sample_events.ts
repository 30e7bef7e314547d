// The sample events of GET /hooks/sample, of test events and of the API description: one of each type, made by the triggers
// that make live ones.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../../src/db/connect.ts'
import { rolledBack } from '../database/rolled_back.ts'

export const sampleEventsFile = join(import.meta.dir, '../../../src/model/sample_events.json')
const writes = readFileSync(join(import.meta.dir, '../../../scripts/sample_events.sql'), 'utf8')

export async function sampleEvents(sql: Sql): Promise<unknown[]> {
  let samples: unknown[] = []
  await rolledBack(sql, async inside => {
    await inside.unsafe(`set local timezone = 'UTC'`)
    await inside.unsafe(writes)
    const rows = await inside`
      select distinct on (event_types.position) json_build_object(
        'id', '00000000-0000-8000-8000-' || lpad(event_types.position::text, 12, '0'),
        'event_type', events.event_type, 'schema_version', events.schema_version,
        'occurred_at', moment('2026-01-15T09:00:00Z'), 'object_type', events.object_type, 'object_id', events.object_id,
        'links', events.links, 'data', events.data)::text as sample
      from events
      join event_types on event_types.event_type = events.event_type
      where events.xmin = pg_current_xact_id()::xid
      order by event_types.position, events.log_id`
    samples = rows.map(({ sample }) => JSON.parse(sample))
  })
  return samples
}
