import { blackBox } from './suite.ts'

blackBox('Deno', 'PostgreSQL 18', async () => process.env.TEST_DATABASE_URL ?? '')
