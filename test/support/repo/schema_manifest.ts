// Makes src/db/schema.generated.ts: the texts of all migrations, in order, and of all files of functions.
import { join } from 'node:path'
import { Glob } from 'bun'

const sqlDir = join(import.meta.dir, '../../../sql')
export const schemaManifestPath = join(import.meta.dir, '../../../src/db/schema.generated.ts')

// The tables that say what was applied are made before anything is.
const first = 'migrations/0000_schema_migrations'

const pathsIn = (folder: string) =>
  [...new Glob(`${folder}/**/*.sql`).scanSync(sqlDir)]
    .map(path => path.slice(0, -'.sql'.length))
    .filter(path => path !== first)
    .sort()

const nameOf = (path: string) =>
  path
    .replace(/^migrations\//, 'migration_')
    .replace(/[/_](.)/g, (_, letter) => letter.toUpperCase())

const importOf = (path: string) =>
  `import ${nameOf(path)} from '../../sql/${path}.sql' with { type: 'text' }\n`

const entryOf = (path: string) => `  '${path.slice(path.indexOf('/') + 1)}': ${nameOf(path)},\n`

export function schemaManifest(): string {
  const migrations = pathsIn('migrations')
  const functions = pathsIn('functions')
  return `// Generated: bun run queries. Every migration in order, and every file of functions.
${[...functions, ...migrations].map(importOf).join('')}
export const migrationTexts = {
${migrations.map(entryOf).join('')}}

export const functionTexts = {
${functions.map(entryOf).join('')}}
`
}
