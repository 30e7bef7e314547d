// Runs the tests: one embedded PostgreSQL, one migrated template database and one binary for all of them, then
// every file in parallel. Arguments go to `bun test`. TEST_DATABASE_URL names another server to run against.
// --fast: what a change is tried with while it is made: unit, SQL and REST tests, without those that take long. No binary
// is built then.
import { join } from 'node:path'
import { openTestServer } from './support/database/server.ts'
import { buildBinary } from './support/process/binary.ts'
import { longestFirst, longFiles } from './support/repo/long_files.ts'

const fastFiles = (): string[] =>
  [...new Bun.Glob('{unit,sql,rest}/*.test.ts').scanSync(import.meta.dir)]
    .map(name => `test/${name}`)
    .filter(path => !(path in longFiles))
    .map(path => join(import.meta.dir, '..', path))

/** Bun begins with the files that took longest, if it is told of every file. */
async function writeTimings(dir: string): Promise<string> {
  const files = [...new Bun.Glob('*/*.test.ts').scanSync(import.meta.dir)].map(name => {
    const path = `test/${name}`
    const place = longestFirst.indexOf(path)
    return [path, place < 0 ? 1 : 1_000 * (longestFirst.length - place)]
  })
  const file = join(dir, 'timings.json')
  await Bun.write(file, JSON.stringify({ version: 1, files: Object.fromEntries(files) }))
  return file
}

const given = process.argv.slice(2)
const isFast = given.includes('--fast')
const args = isFast ? [...fastFiles(), ...given.filter(one => one !== '--fast')] : given

const server = await openTestServer('test')
try {
  const binary = isFast ? {} : { TEST_BINARY: await buildBinary(server.dataDir) }
  const options = [
    '--parallel=4',
    '--no-isolate',
    `--timings=${await writeTimings(server.dataDir)}`,
    '--timeout=30000',
  ]
  const tests = Bun.spawn(['bun', 'test', ...options, ...args], {
    env: { ...process.env, TEST_DATABASE_URL: server.url, ...binary },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  process.exitCode = await tests.exited
} finally {
  await server.stop()
}
