// Every page of the documentation that has a part made from the program, as it must be: `bun run readme` writes them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { withConfigTable } from './config_table.ts'
import { catalogFiles } from './event_catalog.ts'
import { withIndexTable } from './index_table.ts'
import { withMetricsTable } from './metrics_table.ts'
import { withCommandsTable, withRoutesTable, withToolsTable } from './operation_tables.ts'

export const rootDir = join(import.meta.dir, '../../..')

const tables: Record<string, (page: string) => string | Promise<string>> = {
  'docs/reference/configuration.md': withConfigTable,
  'docs/reference/metrics.md': withMetricsTable,
  'docs/reference/commands.md': withCommandsTable,
  'docs/guides/rest.md': withRoutesTable,
  'docs/guides/tools.md': withToolsTable,
  'sql/README.md': withIndexTable,
}

export async function generatedPages(): Promise<Record<string, string>> {
  const pages = Object.entries(tables).map(async ([path, withTable]) => [
    path,
    await withTable(readFileSync(join(rootDir, path), 'utf8')),
  ])
  return { ...catalogFiles(), ...Object.fromEntries(await Promise.all(pages)) }
}
