// Writes what the documentation takes from the program: the tables of settings, metrics, commands, routes, tools and indexes,
// the catalog of events and that of errors. bun run readme.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedPages, rootDir } from '../test/support/repo/generated_pages.ts'

for (const [path, text] of Object.entries(await generatedPages()))
  writeFileSync(join(rootDir, path), text)
