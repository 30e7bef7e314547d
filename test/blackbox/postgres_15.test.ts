// On the oldest PostgreSQL: what a runtime does to a version is nothing but the driver's work, which is the same in all three.
// So Bun stands for the others, whose suites run on the newest; BLACKBOX=all has each on both, as the nightly run does.
import { afterAll, test } from 'bun:test'
import { runtimes } from '../support/process/program.ts'
import { startPostgres15 } from './postgres_15.ts'
import { blackBox } from './suite.ts'

const tried = process.env.BLACKBOX === 'all' ? runtimes : (['Bun'] as const)

const server = await startPostgres15()
afterAll(() => server?.stop())

if (server === undefined)
  test.skip('PostgreSQL 15: left out, because npm has none for this machine and Debian installed none', () => {})
else for (const runtime of tried) blackBox(runtime, 'PostgreSQL 15', async () => server.url)
