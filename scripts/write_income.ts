// Writes the generated parts of the income rule anew, after a schema or a list of words changed: bun run income.
import { readFileSync, writeFileSync } from 'node:fs'
import { incomeSchemaPath, withGeneratedPart } from '../test/support/income/income_rule.ts'
import { incomeRegistryPath, withGeneratedWords } from '../test/support/income/income_words.ts'

writeFileSync(incomeSchemaPath, withGeneratedPart(readFileSync(incomeSchemaPath, 'utf8')))
writeFileSync(incomeRegistryPath, withGeneratedWords(readFileSync(incomeRegistryPath, 'utf8')))
