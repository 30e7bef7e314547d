// Writes the README's tables of settings and metrics anew, after one was added: bun run readme.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withConfigTable } from './config_table.ts'
import { withMetricsTable } from './metrics_table.ts'

const path = join(import.meta.dir, '../../README.md')
writeFileSync(path, withMetricsTable(withConfigTable(readFileSync(path, 'utf8'))))
