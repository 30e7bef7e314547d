import { blackBox } from './suite.ts'

blackBox('the binary', 'PostgreSQL 18', async () => process.env.TEST_DATABASE_URL ?? '')
