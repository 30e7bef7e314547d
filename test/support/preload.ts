// Lets a single test file run by hand, as in `bun test test/rest/leads.test.ts`: without the runner's
// server it starts one of its own.
import { afterAll } from 'bun:test'
import { makeDataDir, removeDataDir } from './database/data_dir.ts'
import { openTestServer } from './database/server.ts'

if (!process.env.TEST_DATABASE_URL) {
  const dataDir = makeDataDir('test')
  const server = await openTestServer(dataDir)
  process.env.TEST_DATABASE_URL = server.url
  afterAll(async () => {
    await server.stop()
    removeDataDir(dataDir)
  })
}
