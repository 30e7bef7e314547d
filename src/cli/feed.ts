// feed advance.
import type { Config } from '../config/settings.ts'
import { readArguments } from './arguments.ts'
import { withReadyDatabase } from './database.ts'
import { UsageError, write } from './output.ts'

export async function feed(config: Config, [name, ...args]: string[]): Promise<void> {
  if (name !== 'advance') throw new UsageError('feed takes advance.')
  readArguments(args, [])
  await withReadyDatabase(config, async ({ database }) => {
    const [advanced] = await database.rows('updateFeedHead', {})
    write(`the feed goes on after cursor ${advanced?.head}`)
  })
}
