// Runs the tests: one embedded PostgreSQL, one migrated template database and one binary for all of them, then
// every file in parallel. Arguments go to `bun test`. TEST_DATABASE_URL names another server to run against.
import { buildBinary } from './support/binary.ts'
import { makeDataDir, removeDataDir } from './support/data_dir.ts'
import { openTestServer } from './support/server.ts'

const dataDir = makeDataDir('test')
const server = await openTestServer(dataDir)
try {
  const binary = await buildBinary(dataDir)
  const tests = Bun.spawn(
    ['bun', 'test', '--parallel=3', '--timeout=30000', ...process.argv.slice(2)],
    {
      env: { ...process.env, TEST_DATABASE_URL: server.url, TEST_BINARY: binary },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  process.exitCode = await tests.exited
} finally {
  await server.stop()
  removeDataDir(dataDir)
}
