// What the service makes itself and keeps in DATA_DIR, next to the embedded server.
import { join } from 'node:path'

/** database_url: where the embedded server is while a service runs on it. */
export type KeptFile = 'database_url' | 'demo_key' | 'dashboard_password' | 'secrets_key'

export const dataFile = ({ DATA_DIR }: { DATA_DIR: string }, name: KeptFile) => join(DATA_DIR, name)
