// Lets a single test file run by hand, as in `bun test test/rest/leads.test.ts`: without the runner's
// server it starts one of its own.
import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTestServer } from './server.ts'

if (!process.env.TEST_DATABASE_URL) {
  const dataDir = mkdtempSync(join(tmpdir(), 'workspace-data-api-test-'))
  const server = await openTestServer(dataDir)
  process.env.TEST_DATABASE_URL = server.url
  afterAll(async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
}
