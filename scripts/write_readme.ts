// Writes the tables of the documentation anew, after a setting, a metric, a route, a tool, a command, a query or an index was
// added: bun run readme.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withConfigTable } from '../test/support/repo/config_table.ts'
import { withIndexTable } from '../test/support/repo/index_table.ts'
import { withMetricsTable } from '../test/support/repo/metrics_table.ts'
import {
  withCommandsTable,
  withRoutesTable,
  withToolsTable,
} from '../test/support/repo/operation_tables.ts'

async function rewrite(path: string, change: (text: string) => string | Promise<string>) {
  const file = join(import.meta.dir, '..', path)
  writeFileSync(file, await change(readFileSync(file, 'utf8')))
}

await rewrite('docs/reference/configuration.md', withConfigTable)
await rewrite('docs/reference/metrics.md', withMetricsTable)
await rewrite('docs/reference/commands.md', withCommandsTable)
await rewrite('docs/guides/rest.md', withRoutesTable)
await rewrite('docs/guides/tools.md', withToolsTable)
await rewrite('sql/README.md', withIndexTable)
