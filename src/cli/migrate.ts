// migrate: brings the database to this version's schema.
import type { Config } from '../config/settings.ts'
import { schemaVersion } from '../db/migrations.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { write } from './output.ts'

export async function migrateCommand(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  // Every command works on a migrated database; this one does nothing else.
  await withDatabase(config, async () => {})
  write(`the database is at schema ${schemaVersion}`)
}
