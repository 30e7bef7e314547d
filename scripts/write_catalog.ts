// Writes docs/reference/event_catalog.md and docs/reference/errors.md anew, after an event, an error or their texts changed:
// bun run catalog.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalogFiles } from '../test/support/repo/event_catalog.ts'

for (const [path, text] of Object.entries(catalogFiles()))
  writeFileSync(join(import.meta.dir, '..', path), text)
