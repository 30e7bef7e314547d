// migrate: brings the database to this version's schema.
import type { Config } from '../config.ts'
import { migrateDatabase } from '../service.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { write } from './output.ts'

export async function migrateCommand(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  const applied = await withDatabase(config, (_sql, url) => migrateDatabase(url))
  write(
    applied.length === 0 ? 'nothing to apply' : applied.map(name => `applied ${name}`).join('\n'),
  )
}
