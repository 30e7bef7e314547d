// redact: applies the income rule to the rows that are stored already.
import type { Config } from '../config/settings.ts'
import { forgetProgress, redactStored } from '../redaction/redact.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { progressBar, write } from './output.ts'

export async function redact(config: Config, args: string[]): Promise<void> {
  const { flags } = readArguments(args, [], 0, ['restart'])
  await withDatabase(config, async ({ sql, queries }) => {
    if (flags.includes('restart')) await forgetProgress(sql, queries)
    const tables = await redactStored(sql, queries, progressBar('income'))
    for (const { table, seen, changed } of tables)
      write(`${table}: ${changed} of ${seen} rows changed`)
  })
}
