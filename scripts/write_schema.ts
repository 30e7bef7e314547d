// Writes what follows from the migrations anew, after one was added: bun run schema.
// That is sql/schema.sql, and the example events of the API description.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withTemplate } from '../test/support/database/server.ts'
import { sampleEvents, sampleEventsFile } from '../test/support/repo/sample_events.ts'
import { dumpSchema } from '../test/support/repo/schema_dump.ts'

await withTemplate('schema', async sql => {
  writeFileSync(join(import.meta.dir, '../sql/schema.sql'), await dumpSchema(sql))
  writeFileSync(sampleEventsFile, `${JSON.stringify(await sampleEvents(sql), null, 2)}\n`)
  await Bun.spawn(['bunx', 'biome', 'format', '--write', sampleEventsFile]).exited
})
