// The migrations, in order. Embedded as text; applied by migrate.ts.
import { createHash } from 'node:crypto'
import { migrationTexts } from './schema.generated.ts'

export type Migration = { number: number; name: string; text: string; sha256: string }

export const migrations: Migration[] = Object.entries(migrationTexts).map(([name, text]) => ({
  number: Number(name.slice(0, 4)),
  name,
  text,
  sha256: createHash('sha256').update(text).digest('hex'),
}))

/** The schema version this program needs. */
export const schemaVersion: number = migrations.at(-1)?.number ?? 0
