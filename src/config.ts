// The whole configuration: one table of settings over the environment. The only reader of process.env.
// Every variable is checked at start and all mistakes are reported at once.
import { isIP } from 'node:net'
import { CronPattern } from 'croner'
import {
  certificateFile,
  httpsUrl,
  networks,
  ownersPassword,
  retryDelays,
  secretsKeys,
} from './config_webhooks.ts'

type Setting<Value> = {
  /** Throws an Error whose message completes the sentence "NAME must be …". */
  parse(text: string): Value
  default: Value
  description: string
  secret?: boolean
}

const setting = <Value>(value: Setting<Value>): Setting<Value> => value

const integer = (min: number, max: number) => (text: string) => {
  if (!/^\d{1,15}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new Error(`a whole number from ${min} to ${max}`)
  return Number(text)
}

const text = (value: string) => value

const postgresUrl = (value: string) => {
  if (!/^postgres(ql)?:\/\/\S+$/.test(value) || !URL.canParse(value))
    throw new Error('an address such as postgres://user:password@127.0.0.1:5432/workspace')
  return value
}

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (value: string) => {
    if (!(values as readonly string[]).includes(value))
      throw new Error(`one of ${values.join(', ')}`)
    return value as Value
  }

const roles = ['api', 'worker'] as const
export type Role = (typeof roles)[number]

function readRoles(value: string): Role[] {
  const named = [...new Set(value.split(',').map(name => name.trim()))]
  return named.map(oneOf(roles))
}

export const settings = {
  HOST: setting({ parse: text, default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: setting({
    parse: integer(0, 65535),
    default: 3000,
    description: 'Port to listen on; 0: any free one.',
  }),
  DATABASE_URL: setting<string | undefined>({
    parse: postgresUrl,
    default: undefined,
    description:
      'PostgreSQL 15 or newer. Unset: an embedded server under DATA_DIR, with demo data.',
    secret: true,
  }),
  DATABASE_POOL_MAX: setting({
    parse: integer(1, 100),
    default: 4,
    description: 'Connections for requests. Requests share them, so a few are enough.',
  }),
  STATEMENT_TIMEOUT_MS: setting({
    parse: integer(100, 60_000),
    default: 5_000,
    description: 'How long one statement of a request may run, in milliseconds.',
  }),
  DATA_DIR: setting({
    parse: text,
    default: '.data',
    description: 'Home of the embedded server and of a key that SECRETS_KEY does not give.',
  }),
  SQL_DIR: setting<string | undefined>({
    parse: text,
    default: undefined,
    description: 'Directory whose .sql files replace the embedded ones of the same path.',
  }),
  PUBLIC_URL: setting<string | undefined>({
    parse: value => {
      if (!/^https?:\/\/[^/?#@\s]+$/.test(value) || !URL.canParse(value))
        throw new Error('an origin such as https://api.example.com, without a path')
      return value
    },
    default: undefined,
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
    description: 'Networks whose X-Forwarded-For is believed. Empty: the socket decides.',
  }),
  KEY_CACHE_TTL_MS: setting({
    parse: integer(100, 60_000),
    default: 5_000,
    description: 'Longest time a revoked key can live on when notifications do not arrive.',
  }),
  ROLES: setting<Role[]>({
    parse: readRoles,
    default: ['api', 'worker'],
    description: 'What this process does: api, worker, or both.',
  }),
  EVENT_RETENTION_DAYS: setting({
    parse: value => {
      const days = Number(value)
      if (!/^(-1|\d{1,5}(\.\d{1,6})?)$/.test(value) || days === 0)
        throw new Error('a number of days above 0, or -1 to keep events for ever')
      return days
    },
    default: 30,
    description: 'How long the feed keeps events, in days; -1: for ever.',
  }),
  RETENTION_SCHEDULE: setting({
    parse: value => {
      try {
        return new CronPattern(value) && value
      } catch {
        throw new Error('a schedule of six fields, seconds first, such as 0 0 * * * *')
      }
    },
    default: '0 0 * * * *',
    description: 'When expired events are dropped: second minute hour day month weekday.',
  }),
  HOOKS_MAX: setting({
    parse: integer(1, 10_000),
    default: 100,
    description: 'Webhook subscriptions there may be at once.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: setting<string[]>({
    parse: networks,
    default: [],
    description: 'Private networks that webhooks may be sent to, as addresses or CIDR.',
  }),
  WEBHOOK_CA_FILE: setting<string | undefined>({
    parse: certificateFile,
    default: undefined,
    description: 'PEM certificates trusted beside the usual ones when webhooks are sent.',
  }),
  WEBHOOK_RETRY_DELAYS: setting<number[]>({
    parse: retryDelays,
    default: [10, 60, 300, 1800],
    description: 'Seconds before attempts 2 to 5 of a delivery; the last one named repeats.',
  }),
  SECRETS_KEY: setting<string[]>({
    parse: secretsKeys,
    default: [],
    description:
      'Encrypts signing secrets: 32 bytes, hex or base64. Of several the first encrypts, all decrypt. Unset: a key kept in DATA_DIR.',
    secret: true,
  }),
  DASHBOARD_PASSWORD: setting<string | undefined>({
    parse: ownersPassword,
    default: undefined,
    description:
      "The owner's password for /dashboard. Unset: made at the first start of the embedded server; with DATABASE_URL the dashboard is off.",
    secret: true,
  }),
  OWNER_WEBHOOK_URL: setting<string | undefined>({
    parse: httpsUrl,
    default: undefined,
    description: 'Gets a signed notice when a webhook has failed 5, 8 and 10 times in a row.',
    // Such addresses often carry a token.
    secret: true,
  }),
  LOG_LEVEL: setting({
    parse: oneOf(logLevels),
    default: 'info',
    description: `Least level logged: ${logLevels.join(', ')}.`,
  }),
}

type Settings = typeof settings
export type Config = {
  [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}

export class ConfigError extends Error {}

const entries = Object.entries(settings) as [keyof Settings, Setting<unknown>][]

/** Reads the environment. Throws ConfigError with one line per mistake; never repeats a secret's value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes: string[] = []
  const values = entries.map(([name, { parse, default: fallback }]) => {
    const given = environment[name]
    if (given === undefined || given === '') return [name, fallback]
    try {
      return [name, parse(given)]
    } catch (error) {
      mistakes.push(`${name} must be ${(error as Error).message}`)
      return [name, fallback]
    }
  })
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return Object.fromEntries(values) as Config
}

/** The effective values, secrets masked, with where each came from. */
export function listConfig(config: Config, environment: Record<string, string | undefined>) {
  return entries.map(([name, { secret }]) => {
    const value = config[name]
    const shown = value === undefined ? '' : Array.isArray(value) ? value.join(',') : String(value)
    const source = environment[name] ? 'environment' : 'default'
    return { name, value: secret && shown !== '' ? '***' : shown, source }
  })
}

/** The same, one `NAME=value` line each. */
export const printConfig = (
  config: Config,
  environment: Record<string, string | undefined>,
): string =>
  listConfig(config, environment)
    .map(({ name, value, source }) => `${name}=${value}  # ${source}`)
    .join('\n')

export const environment = (): Record<string, string | undefined> => process.env

/** Where clients reach a service that listens on `port`. */
export function originOf({ PUBLIC_URL, HOST }: Config, port: number): string {
  return PUBLIC_URL ?? `http://${isIP(HOST) === 6 ? `[${HOST}]` : HOST}:${port}`
}
