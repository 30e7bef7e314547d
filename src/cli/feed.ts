// feed advance, feed repair.
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { readArguments } from './arguments.ts'
import { withReadyDatabase } from './database.ts'
import { UsageError, write } from './output.ts'

async function advance(database: Database): Promise<void> {
  const [advanced] = await database.rows('updateFeedHead', {})
  if (!advanced) throw new Error('The feed cannot advance further: its cursors are used up.')
  write(`the feed goes on after cursor ${advanced.head}`)
}

async function repair(database: Database): Promise<void> {
  const [repaired] = await database.rows('updateFeedState', {})
  for (const sentence of JSON.parse(repaired?.mended ?? '[]')) write(`mended: ${sentence}`)
  write(`the feed goes on after cursor ${repaired?.head}`)
}

export async function feed(config: Config, [name = '', ...args]: string[]): Promise<void> {
  const works: Record<string, (database: Database) => Promise<void>> = { advance, repair }
  const work = Object.hasOwn(works, name) ? works[name] : undefined
  if (!work) throw new UsageError('feed takes advance or repair.')
  readArguments(args, [])
  await withReadyDatabase(config, ({ database }) => work(database))
}
