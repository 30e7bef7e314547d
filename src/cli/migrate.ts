// migrate: brings the database to this version's schema.
import type { Config } from '../config/settings.ts'
import { schemaVersion } from '../db/migrations.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { write } from './output.ts'

export async function migrateCommand(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  await withDatabase(config, async () => {}, { migrates: true })
  write(`the database is at schema ${schemaVersion}`)
}
