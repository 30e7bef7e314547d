// Runs the tests: one embedded PostgreSQL, one migrated template database and one binary for all of them, then
// every file in parallel. Arguments go to `bun test`. TEST_DATABASE_URL names another server to run against.
// --check: types and format are looked at while the server and the binary are made, and before the first test.
// --fast: what a change is tried with while it is made: unit, SQL and REST tests, without those that take long. No binary
// is built then.
import { join } from 'node:path'
import { makeDataDir } from './support/database/data_dir.ts'
import { openTestServer } from './support/database/server.ts'
import { buildBinary } from './support/process/binary.ts'
import { longestFirst, longFiles } from './support/repo/long_files.ts'

const fastFiles = (): string[] =>
  [...new Bun.Glob('{unit,sql,rest}/*.test.ts').scanSync(import.meta.dir)]
    .map(name => `test/${name}`)
    .filter(path => !(path in longFiles))
    .map(path => join(import.meta.dir, '..', path))

/** Whether the compiler or the formatter has something to say, which it has said then. */
async function isCodeRefused(): Promise<boolean> {
  const checks = ['types', 'format'].map(name =>
    Bun.spawn(['bun', 'run', name], { stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  const codes = await Promise.all(checks.map(check => check.exited))
  return codes.some(code => code !== 0)
}

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
const args = given.filter(one => one !== '--fast' && one !== '--check')
const isRefused = given.includes('--check') ? isCodeRefused() : false

/** The exit code of the tests. */
async function runTests(server: Awaited<ReturnType<typeof openTestServer>>): Promise<number> {
  const binary = building && { TEST_BINARY: await building }
  if (await isRefused) return 1
  const options = [
    '--parallel=4',
    '--no-isolate',
    `--timings=${await writeTimings(server.dataDir)}`,
    '--timeout=60000',
  ]
  const tests = Bun.spawn(['bun', 'test', ...options, ...(isFast ? fastFiles() : []), ...args], {
    env: {
      ...process.env,
      TEST_DATABASE_URL: server.url,
      TEST_CERTIFICATES: server.dataDir,
      ...binary,
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return await tests.exited
}

const dataDir = makeDataDir('test')
// While the server starts, on another core.
const building = isFast ? undefined : buildBinary(dataDir)
building?.catch(() => {})
const server = await openTestServer('test', dataDir)
try {
  process.exitCode = await runTests(server)
} finally {
  await server.stop()
}
