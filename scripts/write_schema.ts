// Writes what follows from the migrations anew, after one was added: bun run schema.
// That is sql/schema.sql, and the example events of the API description.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../test/support/database/data_dir.ts'
import {
  administer,
  openTestServer,
  templateName,
  withDatabaseName,
} from '../test/support/database/server.ts'
import { sampleEvents, sampleEventsFile } from '../test/support/repo/sample_events.ts'
import { dumpSchema } from '../test/support/repo/schema_dump.ts'

const dataDir = makeDataDir('schema')
const server = await openTestServer(dataDir)
const sql = administer(withDatabaseName(server.url, templateName))
try {
  writeFileSync(join(import.meta.dir, '../sql/schema.sql'), await dumpSchema(sql))
  writeFileSync(sampleEventsFile, `${JSON.stringify(await sampleEvents(sql), null, 2)}\n`)
  await Bun.spawn(['bunx', 'biome', 'format', '--write', sampleEventsFile]).exited
} finally {
  await sql.end()
  await server.stop()
  removeDataDir(dataDir)
}
