// Settings of a service in a test: any free port, and a key of its own, so that none is kept in a DATA_DIR.
import { type Config, readConfig } from '../../../src/config/settings.ts'

export const secretsKey = Buffer.alloc(32, 7).toString('base64')

export const testConfig = (settings: Record<string, string> = {}): Config =>
  readConfig({ PORT: '0', SECRETS_KEY: secretsKey, ...settings })
