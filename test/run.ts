// Runs the tests: one embedded PostgreSQL, one migrated template database and one binary for all of them, then every file
// in parallel. Arguments go to `bun test`. TEST_DATABASE_URL names another server to run against.
// --check: types and format are looked at while the server and the binary are made, and before the first test.
// The last line counts the tests; above it stand the files that took longest.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDataDir } from './support/database/data_dir.ts'
import { openTestServer } from './support/database/server.ts'
import { buildBinary } from './support/process/program.ts'

/** Whether the compiler or the formatter refuses the code; both print why. */
async function isCodeRefused(): Promise<boolean> {
  const checks = ['types', 'format'].map(name =>
    Bun.spawn(['bun', 'run', name], { stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  const codes = await Promise.all(checks.map(check => check.exited))
  return codes.some(code => code !== 0)
}

type Timings = Record<string, number>

// Bun starts the slowest files first, by the milliseconds that they took in the run before.
const timingsFile = join(import.meta.dir, '../.data/test_timings.json')
const readTimings = (): Timings => JSON.parse(readFileSync(timingsFile, 'utf8')).files

// In milliseconds. Files that start processes and browsers go first.
const folders: Timings = {
  blackbox: 20_000,
  dashboard: 20_000,
  process: 5_000,
  delivery: 5_000,
  feed: 5_000,
}
const slow = /\/(clients|openapi|analysis_schema|docs_browser|search|income)\.test\.ts$/

/** Before the first run. */
function guessTimings() {
  const files = [...new Bun.Glob('*/*.test.ts').scanSync(import.meta.dir)].map(name => [
    `test/${name}`,
    slow.test(name) ? 10_000 : (folders[dirname(name)] ?? 500),
  ])
  mkdirSync(dirname(timingsFile), { recursive: true })
  writeFileSync(timingsFile, JSON.stringify({ version: 1, files: Object.fromEntries(files) }))
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1).padStart(6)} s`

/** The files of this run that took longest; a file that ran has another duration than before. */
function slowestFiles(before: Timings): string {
  const ran = Object.entries(readTimings()).filter(([file, ms]) => before[file] !== ms)
  const slowest = ran.sort(([, one], [, other]) => other - one).slice(0, 15)
  return slowest.map(([file, ms]) => `${seconds(ms)}  ${file}\n`).join('')
}

/** Bun's own summary in one line; an error outside of the tests, and a run that ends without one, count as a failure. */
function countOf(output: string, code: number): string {
  const count = (kind: string) =>
    Number(new RegExp(`^ *(\\d+) ${kind}s?$`, 'm').exec(output.slice(-2_000))?.[1] ?? 0)
  const failed = count('fail') || Math.sign(code)
  return `${count('pass')} passed, ${failed} failed, ${count('skip') + count('todo')} skipped\n`
}

const args = process.argv.slice(2).filter(one => one !== '--check')
const isRefused = process.argv.includes('--check') ? isCodeRefused() : false

/** The exit code of the tests. */
async function runTests(server: Awaited<ReturnType<typeof openTestServer>>): Promise<number> {
  const binary = building && { TEST_BINARY: await building }
  if (await isRefused) {
    process.stdout.write(countOf('', 1))
    return 1
  }
  if (!existsSync(timingsFile)) guessTimings()
  const before = readTimings()
  const options = ['--parallel=4', '--no-isolate', '--timeout=60000']
  const timings = [`--timings=${timingsFile}`, '--update-timings']
  const tests = Bun.spawn(['bun', 'test', ...options, ...timings, ...args], {
    env: {
      ...process.env,
      TEST_DATABASE_URL: server.url,
      TEST_CERTIFICATES: server.dataDir,
      ...binary,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  })
  let output = ''
  for await (const part of tests.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(part)
    output = (output + part).slice(-10_000)
  }
  const code = await tests.exited
  process.stdout.write(`\n${slowestFiles(before)}\n${countOf(Bun.stripANSI(output), code)}`)
  return code
}

// Tests of the other folders start the binary. Building it takes a core while the server starts.
const isQuick = (one: string) => /^test\/(unit|sql|rest|repo|mcp)\b/.test(one)
const needsBinary = args.length === 0 || !args.every(isQuick)
const dataDir = makeDataDir('test')
const building = needsBinary ? buildBinary(dataDir) : undefined
building?.catch(() => {})
const server = await openTestServer('test', dataDir)
try {
  process.exitCode = await runTests(server)
} finally {
  await server.stop()
}
