// Writes the generated part of the income migration anew, after a schema changed: bun run income.
import { readFileSync, writeFileSync } from 'node:fs'
import { migrationPath, withGeneratedPart } from './income_rule.ts'

writeFileSync(migrationPath, withGeneratedPart(readFileSync(migrationPath, 'utf8')))
