// Notes the migrations of a release, before its tag: bun run released. From then on they must not change.
import { writeFileSync } from 'node:fs'
import {
  changedHistory,
  migrationFiles,
  readReleased,
  releasedList,
  releasedPath,
} from '../test/support/repo/released.ts'

const wrong = changedHistory(readReleased(), migrationFiles())
if (wrong.length > 0) throw new Error(wrong.join('; '))
writeFileSync(releasedPath, releasedList(migrationFiles()))
