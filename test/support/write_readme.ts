// Writes the tables of README.md and sql/README.md anew, after a setting, a metric, a query or an index was added:
// bun run readme.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withConfigTable } from './config_table.ts'
import { withIndexTable } from './index_table.ts'
import { withMetricsTable } from './metrics_table.ts'

function rewrite(path: string, change: (text: string) => string) {
  const file = join(import.meta.dir, '../..', path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

rewrite('README.md', readme => withMetricsTable(withConfigTable(readme)))
rewrite('sql/README.md', withIndexTable)
