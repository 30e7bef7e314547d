// Writes docs/reference/event_catalogue.md and docs/reference/errors.md anew, after an event, an error or their texts changed:
// bun run catalogue.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogue } from '../test/support/repo/catalogue.ts'

for (const [path, text] of Object.entries(catalogue()))
  writeFileSync(join(import.meta.dir, '..', path), text)
