// Runs the tests: one embedded PostgreSQL, one migrated template database and one binary for all of them, then
// every file in parallel. Arguments go to `bun test`. TEST_DATABASE_URL names another server to run against.
// --fast: what a change is tried with while it is made: unit, SQL and REST tests, without those that take long. No binary
// is built then.
import { join } from 'node:path'
import { openTestServer } from './support/database/server.ts'
import { buildBinary } from './support/process/binary.ts'
import { longFiles } from './support/repo/long_files.ts'

const fastFiles = (): string[] =>
  [...new Bun.Glob('{unit,sql,rest}/*.test.ts').scanSync(import.meta.dir)]
    .map(name => `test/${name}`)
    .filter(path => !(path in longFiles))
    .map(path => join(import.meta.dir, '..', path))

const given = process.argv.slice(2)
const isFast = given.includes('--fast')
const args = isFast ? [...fastFiles(), ...given.filter(one => one !== '--fast')] : given

const server = await openTestServer('test')
try {
  const binary = isFast ? {} : { TEST_BINARY: await buildBinary(server.dataDir) }
  const tests = Bun.spawn(['bun', 'test', '--parallel=3', '--timeout=30000', ...args], {
    env: { ...process.env, TEST_DATABASE_URL: server.url, ...binary },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.exitCode = await tests.exited
} finally {
  await server.stop()
}
