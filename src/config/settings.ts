// The whole configuration: one table of settings over the environment. The only reader of process.env.
// Every variable is checked at start and all mistakes are reported at once.
import { ConfigError } from '../lib/config_error.ts'
import { noticeConflicts, noticeSettings } from './notice_settings.ts'
import {
  certificateFile,
  daysOrEver,
  directory,
  host,
  integer,
  networks,
  oneOf,
  origin,
  ownersPassword,
  postgresUrl,
  postgresUrls,
  type Role,
  readRoles,
  retryDelays,
  schedule,
  secretsKeys,
  shortName,
} from './parsers.ts'
import { type Setting, setting } from './setting.ts'

const text = (value: string) => value
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

export const settings = {
  HOST: setting({ parse: host, default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: setting({
    parse: integer(0, 65535),
    default: 3000,
    description: 'Port to listen on; 0: any free one.',
  }),
  DATABASE_URL: setting<string | undefined>({
    parse: postgresUrls,
    default: undefined,
    description:
      'PostgreSQL 15 or newer; of several hosts (a:5432,b:5432) the one that takes writes. Unset: an embedded server under DATA_DIR, with demo data.',
    example: 'postgres://user:password@127.0.0.1:5432/workspace',
    secret: true,
    file: 'database_url',
  }),
  DATABASE_LISTEN_URL: setting<string | undefined>({
    parse: postgresUrls,
    default: undefined,
    description:
      'The same database without a pooler in between, for notifications. Unset: DATABASE_URL.',
    example: 'postgres://user:password@db.example.com:5432/workspace',
    secret: true,
  }),
  DATABASE_READ_URL: setting<string | undefined>({
    parse: postgresUrl,
    default: undefined,
    description:
      'A streaming replica that answers lists and single rows, a moment late. Unset, or while it is away: DATABASE_URL.',
    example: 'postgres://user:password@replica.example.com:5432/workspace',
    secret: true,
  }),
  DATABASE_POOL_MAX: setting({
    parse: integer(1, 100),
    default: 4,
    description:
      'Connections for statements that are planned once, and as many again for the others. Requests share them, so a few are enough. One key uses one less, at least one.',
  }),
  DATABASE_WAIT_MS: setting({
    parse: integer(0, 3_600_000),
    default: 60_000,
    description: 'How long a start waits for a database that does not answer, in milliseconds.',
  }),
  STATEMENT_TIMEOUT_MS: setting({
    parse: integer(100, 60_000),
    default: 5_000,
    description: 'How long one statement of a request may run, in milliseconds.',
  }),
  DATA_DIR: setting({
    parse: text,
    default: '.data',
    description: 'Directory of the embedded PostgreSQL, and of a key where SECRETS_KEY is unset.',
  }),
  SQL_DIR: setting<string | undefined>({
    parse: directory,
    default: undefined,
    example: '/etc/workspace-data-api/sql',
    description: 'Directory whose .sql files replace the embedded ones of the same path.',
  }),
  PUBLIC_URL: setting<string | undefined>({
    parse: origin,
    default: undefined,
    example: 'https://api.example.com',
    description: 'Origin under which clients reach the service; shown in the API description.',
  }),
  RATE_LIMIT_PER_MINUTE: setting({
    parse: integer(1, 1_000_000),
    default: 240,
    description: 'Requests granted to one API key in any 60 seconds, over all processes.',
  }),
  TRUSTED_PROXIES: setting<string[]>({
    parse: networks,
    default: [],
    example: '10.0.0.0/8,::1',
    description: 'Networks whose X-Forwarded-For is trusted. Empty: the socket decides.',
  }),
  KEY_CACHE_TTL_MS: setting({
    parse: integer(100, 60_000),
    default: 5_000,
    description: 'Milliseconds for which a revoked key can stay valid without notifications.',
  }),
  ROLES: setting<Role[]>({
    parse: readRoles,
    default: ['api', 'worker'],
    description: 'What this process does: api, worker, or both.',
  }),
  STOP_DELAY_MS: setting({
    parse: integer(0, 300_000),
    default: 0,
    description:
      'How long the service goes on serving after SIGTERM, with /readyz at 503, in milliseconds.',
  }),
  EVENT_RETENTION_DAYS: setting({
    parse: daysOrEver,
    default: 30,
    description:
      'How long the feed keeps events, and deliveries their attempts, in days; -1: without end.',
  }),
  RETENTION_SCHEDULE: setting({
    parse: schedule,
    default: '0 0 * * * *',
    description: 'When expired events are deleted: second minute hour day month weekday.',
  }),
  HOOKS_MAX: setting({
    parse: integer(1, 10_000),
    default: 100,
    description: 'Largest number of webhook subscriptions.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: setting<string[]>({
    parse: networks,
    default: [],
    example: '10.20.0.0/16',
    description: 'Private networks that webhooks may be sent to, as addresses or CIDR.',
  }),
  WEBHOOK_CA_FILE: setting<string | undefined>({
    parse: certificateFile,
    default: undefined,
    example: '/etc/ssl/company.pem',
    description:
      'PEM certificates trusted next to the usual ones when webhooks and e-mails are sent.',
  }),
  WEBHOOK_RETRY_DELAYS: setting<number[]>({
    parse: retryDelays,
    default: [10, 60, 300, 1800],
    description: 'Seconds before attempts 2 to 5 of a delivery; the last value repeats.',
  }),
  SECRETS_KEY: setting<string[]>({
    parse: secretsKeys,
    default: [],
    description:
      'Encrypts signing secrets: 32 bytes, hex or base64. Of several the first encrypts, all decrypt. Unset: a key generated and kept in DATA_DIR.',
    example: '`openssl rand -base64 32` makes',
    secret: true,
    file: 'secrets_key',
  }),
  DASHBOARD_PASSWORD: setting<string | undefined>({
    parse: ownersPassword,
    default: undefined,
    description:
      "The owner's password for /dashboard. Unset: generated at the first start of the embedded server; with DATABASE_URL the dashboard is off.",
    example: '`openssl rand -base64 18` makes',
    secret: true,
    file: 'dashboard_password',
  }),
  WORKSPACE_NAME: setting({
    parse: shortName,
    default: 'Workspace Data API',
    example: 'Maklerbüro Beispiel',
    description: 'What the dashboard is headed with, once the owner is signed in.',
  }),
  ...noticeSettings,
  METRICS_PORT: setting<number | undefined>({
    parse: integer(0, 65535),
    default: undefined,
    example: '9464',
    description:
      'Port of /metrics for Prometheus, at HOST, without authentication; 0: any free one. Unset: none.',
  }),
  LOG_LEVEL: setting({
    parse: oneOf(logLevels),
    default: 'info',
    description: `Lowest level that is logged: ${logLevels.join(', ')}.`,
  }),
}

type Settings = typeof settings
export type Config = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}

export const entries = Object.entries(settings) as [keyof Settings, Setting<unknown>][]

// A short plain word or list: an address may hold a password, and a long word be a secret in the wrong variable.
const plain = /^[\w .,*/-]{1,20}$/

function mistake([name, setting]: (typeof entries)[number], given: string, rule: string): string {
  const example = setting.example ?? String(setting.default)
  const found = !setting.secret && plain.test(given) ? `, not "${given}"` : ''
  return `${name} must be ${rule}, such as ${example}${found}`
}

const firstWord = (text: string) => text.split(' ', 1)[0]

/** What no setting can see by itself. Of those that are mistaken there is nothing. */
function conflicts(config: Partial<Config>): string[] {
  const { PORT, METRICS_PORT, ROLES } = config
  const found: string[] = []
  if (PORT && PORT === METRICS_PORT && ROLES?.includes('api'))
    found.push(
      `METRICS_PORT must be another port than PORT, such as ${settings.METRICS_PORT.example}`,
    )
  found.push(...noticeConflicts(config))
  return found
}

/** Reads the environment. Throws ConfigError with one line per mistake; never repeats a secret's value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes: string[] = []
  const values = entries.map(entry => {
    const [name, { parse, default: fallback }] = entry
    const given = environment[name]
    if (given === undefined || given === '') return [name, fallback]
    try {
      return [name, parse(given)]
    } catch (error) {
      mistakes.push(mistake(entry, given, (error as Error).message))
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(values) as Config
  const mistaken = new Set(mistakes.map(firstWord))
  mistakes.push(...conflicts(config).filter(conflict => !mistaken.has(firstWord(conflict))))
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return config
}

export const environment = (): Record<string, string | undefined> => process.env
