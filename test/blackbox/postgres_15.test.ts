import { afterAll, test } from 'bun:test'
import { runtimes } from '../support/process/program.ts'
import { startPostgres15 } from './postgres_15.ts'
import { blackBox } from './suite.ts'

const server = await startPostgres15()
afterAll(() => server?.stop())

if (server === undefined)
  test.skip('PostgreSQL 15: left out, because npm has none for this machine and Debian installed none', () => {})
else for (const runtime of runtimes) blackBox(runtime, 'PostgreSQL 15', async () => server.url)
