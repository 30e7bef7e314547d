// feed advance, feed repair.
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { readArguments } from './arguments.ts'
import { withReadyDatabase } from './database.ts'
import { UsageError, write } from './output.ts'

type Action = (args: string[]) => (database: Database) => Promise<void>

/** A running worker keeps what it knew of the feed: it passes over events below its head, and writes that over a repair. */
async function requireNoWorkers(database: Database, flags: readonly string[]): Promise<void> {
  if (flags.includes('force')) return
  const [live] = await database.list('countLiveWorkers', {})
  if (live?.workers)
    throw new Error(
      `Workers that run: ${live.workers}. Stop all processes first, and start them afterwards; one that was killed counts for ten seconds. --force goes on all the same.`,
    )
}

const advance: Action = args => {
  const { flags } = readArguments(args, [], 0, ['force'])
  return async database => {
    await requireNoWorkers(database, flags)
    const [advanced] = await database.rows('updateFeedHead', {})
    if (!advanced) throw new Error('The feed cannot advance further: its cursors are used up.')
    write(`the feed goes on after cursor ${advanced.head}`)
  }
}

const repair: Action = args => {
  const { flags } = readArguments(args, [], 0, ['force'])
  return async database => {
    await requireNoWorkers(database, flags)
    const [repaired] = await database.rows('updateFeedState', {})
    for (const sentence of JSON.parse(repaired?.mended ?? '[]')) write(`mended: ${sentence}`)
    write(`the feed goes on after cursor ${repaired?.head}`)
  }
}

const actions: Record<string, Action> = { advance, repair }

export async function feed(config: Config, [name = '', ...args]: string[]): Promise<void> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new UsageError('feed takes advance or repair.')
  const work = action(args)
  await withReadyDatabase(config, ({ database }) => work(database))
}
