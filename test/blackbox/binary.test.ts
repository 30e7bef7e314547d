// The sources on Bun, which the binary is made of, are tried on PostgreSQL 15, and on 18 by every test that calls them.
// BLACKBOX=all has both on both, as the nightly run does.
import type { Runtime } from '../support/process/program.ts'
import { blackBox } from './suite.ts'

const tried: Runtime[] = process.env.BLACKBOX === 'all' ? ['the binary', 'Bun'] : ['the binary']

for (const runtime of tried)
  blackBox(runtime, 'PostgreSQL 18', async () => process.env.TEST_DATABASE_URL ?? '')
