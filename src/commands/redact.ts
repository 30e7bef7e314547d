// redact: applies the income rule to the rows that are stored already.
import type { Config } from '../config.ts'
import { forgetProgress, redactStored } from '../redaction/redact.ts'
import { withDatabase } from './database.ts'
import { progressBar, UsageError, write } from './output.ts'

export async function redact(config: Config, args: string[]): Promise<void> {
  const unknown = args.find(argument => argument !== '--restart')
  if (unknown !== undefined) throw new UsageError(`redact takes --restart alone, not ${unknown}.`)
  await withDatabase(config, async ({ sql, queries }) => {
    if (args.includes('--restart')) await forgetProgress(sql, queries)
    const tables = await redactStored(sql, queries, progressBar('income'))
    for (const { table, seen, changed } of tables)
      write(`${table}: ${changed} of ${seen} rows changed`)
  })
}
