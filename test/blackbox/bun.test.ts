import { blackBox } from './suite.ts'

blackBox('Bun', 'PostgreSQL 18', async () => process.env.TEST_DATABASE_URL ?? '')
