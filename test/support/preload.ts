// Lets a single test file run by hand, as in `bun test test/rest/hooks.test.ts`: without the runner's
// server it starts one of its own.
import { afterAll } from 'bun:test'
import { openTestServer } from './database/server.ts'

if (!process.env.TEST_DATABASE_URL) {
  const server = await openTestServer('test')
  process.env.TEST_DATABASE_URL = server.url
  afterAll(() => server.stop())
}
