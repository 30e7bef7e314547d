// Writes sql/schema.sql anew, after a migration was added: bun run schema.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dumpSchema } from './schema_dump.ts'
import { administer, openTestServer, templateName, withDatabaseName } from './server.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'workspace-data-api-schema-'))
const server = await openTestServer(dataDir)
const sql = administer(withDatabaseName(server.url, templateName))
try {
  writeFileSync(join(import.meta.dir, '../../sql/schema.sql'), await dumpSchema(sql))
} finally {
  await sql.end()
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
