// Writes the README's configuration table anew, after a setting was added: bun run readme.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withConfigTable } from './config_table.ts'

const path = join(import.meta.dir, '../../README.md')
writeFileSync(path, withConfigTable(readFileSync(path, 'utf8')))
