// Deno on the oldest PostgreSQL: what a runtime does to a version is nothing but the driver's work, which is the same in all three,
// so each of both is tried once. BLACKBOX=all has each runtime on both, as the nightly run does.
import { afterAll, test } from 'bun:test'
import { missing, runtimes } from '../support/process/program.ts'
import { startPostgres15 } from './postgres_15.ts'
import { blackBox } from './suite.ts'

const isAll = process.env.BLACKBOX === 'all'
const one = missing('Deno') === undefined ? ('Deno' as const) : ('Bun' as const)

const server = await startPostgres15()
afterAll(() => server?.stop())

if (server === undefined)
  test.skip('PostgreSQL 15: left out, because npm has none for this machine and Debian installed none', () => {})
else
  for (const runtime of isAll ? runtimes : [one])
    blackBox(runtime, 'PostgreSQL 15', async () => server.url)
if (isAll || server === undefined)
  blackBox('Deno', 'PostgreSQL 18', async () => process.env.TEST_DATABASE_URL ?? '')
