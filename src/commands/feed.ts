// feed advance.
import type { Config } from '../config.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { UsageError, write } from './output.ts'

export async function feed(config: Config, [name = '', ...args]: string[]): Promise<void> {
  if (name !== 'advance') throw new UsageError('feed takes advance.')
  readArguments(args, [])
  const [advanced] = await withDatabase(config, ({ database }) =>
    database.rows('updateFeedHead', {}),
  )
  if (!advanced) throw new Error('The feed cannot advance further: its cursors are used up.')
  write(`the feed goes on after cursor ${advanced.head}`)
}
