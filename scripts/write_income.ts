// Writes the generated part of the income rule anew, after a published schema changed: bun run income.
import { readFileSync, writeFileSync } from 'node:fs'
import { incomeSchemaPath, withGeneratedPart } from '../test/support/income/income_rule.ts'

writeFileSync(incomeSchemaPath, withGeneratedPart(readFileSync(incomeSchemaPath, 'utf8')))
