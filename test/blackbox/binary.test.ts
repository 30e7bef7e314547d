// The binary on the newest PostgreSQL, where every other test calls the sources on Bun that it is made of. Deno is on the oldest one
// (postgres_15.test.ts). BLACKBOX=all has each on both, as the nightly run does.
import { blackBox } from './suite.ts'

const newest = async () => process.env.TEST_DATABASE_URL ?? ''

blackBox('the binary', 'PostgreSQL 18', newest)
if (process.env.BLACKBOX === 'all') blackBox('Bun', 'PostgreSQL 18', newest)
