// Writes sql/schema.sql anew, after a migration was added: bun run schema.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from './data_dir.ts'
import { dumpSchema } from './schema_dump.ts'
import { administer, openTestServer, templateName, withDatabaseName } from './server.ts'

const dataDir = makeDataDir('schema')
const server = await openTestServer(dataDir)
const sql = administer(withDatabaseName(server.url, templateName))
try {
  writeFileSync(join(import.meta.dir, '../../sql/schema.sql'), await dumpSchema(sql))
} finally {
  await sql.end()
  await server.stop()
  removeDataDir(dataDir)
}
