// Writes the manifests of queries, migrations and functions anew, after a file was added, changed, renamed or removed:
// bun run queries.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Column, describeRows } from '../test/support/database/described_rows.ts'
import {
  queryFilesOnDisk,
  queryManifest,
  queryManifestPath,
} from '../test/support/repo/query_manifest.ts'
import { schemaManifest, schemaManifestPath } from '../test/support/repo/schema_manifest.ts'

const files = queryFilesOnDisk()
const written = existsSync(queryManifestPath) ? readFileSync(queryManifestPath, 'utf8') : ''
const imported = [...written.matchAll(/'\.\.\/\.\.\/sql\/(.*?)\.sql'/g)].map(([, path]) => path)

// Migrating needs a manifest that can be loaded: first one that names the files there are.
if (imported.join() !== files.map(({ path }) => path).join())
  writeFileSync(queryManifestPath, queryManifest(files, new Map()))

writeFileSync(schemaManifestPath, schemaManifest())

const { withTemplate } = await import('../test/support/database/server.ts')
await withTemplate('queries', async sql => {
  const columns = new Map<string, Column[]>()
  for (const file of files) columns.set(file.path, await describeRows(sql, file))
  writeFileSync(queryManifestPath, queryManifest(files, columns))
})
