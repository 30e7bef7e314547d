// The whole configuration: one table of settings over the environment, the only reader of process.env. Every variable is
// checked at start, and all mistakes are reported at once.
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type StaticDecode, TransformKind, Type } from '@sinclair/typebox'
import { ConfigError } from '../lib/config_error.ts'
import { hookConcurrency, retryDelays } from '../model/delivery_rules.ts'
import * as form from './parsers.ts'

/** What the service makes itself and keeps in DATA_DIR. `database_url`: where the embedded server is while a service runs on it. */
type KeptFile = 'database_url' | 'demo_key' | 'dashboard_password' | 'secrets_key'

export const dataFile = ({ DATA_DIR }: { DATA_DIR: string }, name: KeptFile) => join(DATA_DIR, name)

type Facts = { default?: string; description: string }

/** The default as an operator would write it. `parse` throws an Error whose message completes "NAME must be …". */
const setting = <Value>(fallback: string, parse: (text: string) => Value, description: string) =>
  Type.Transform(Type.String({ default: fallback, description }))
    .Decode(parse)
    .Encode(String)

const optional = <Value>(parse: (text: string) => Value, description: string) =>
  Type.Transform(Type.String({ description }))
    .Decode((text): Value | undefined => parse(text))
    .Encode(String)

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const

const settings = {
  HOST: setting('127.0.0.1', String, 'Address to listen on.'),
  PORT: setting('3000', form.integer(0, 65_535), 'Port to listen on; 0: any free one.'),
  DATABASE_URL: optional(
    form.postgresUrls,
    'PostgreSQL 15 or newer; of several hosts (a:5432,b:5432) the one that takes writes. Unset: an embedded server under DATA_DIR, with demo data.',
  ),
  DATABASE_LISTEN_URL: optional(
    form.postgresUrls,
    'The same database without a pooler in between, for notifications. Unset: DATABASE_URL.',
  ),
  DATABASE_READ_URL: optional(
    form.postgresUrl,
    'A streaming replica that answers lists and single rows, a moment late. Unset, or while it is away: DATABASE_URL.',
  ),
  STATEMENT_TIMEOUT_MS: setting(
    '5000',
    form.integer(100, 60_000),
    'How long one statement of a request may run, in milliseconds.',
  ),
  DATA_DIR: setting(
    '.data',
    String,
    'Directory of the embedded PostgreSQL, and of a key where SECRETS_KEY is unset.',
  ),
  SQL_DIR: optional(
    form.directory,
    'Directory whose .sql files replace the embedded ones of the same path.',
  ),
  PUBLIC_URL: optional(
    form.origin,
    'Origin under which clients reach the service; shown in the API description.',
  ),
  RATE_LIMIT_PER_MINUTE: setting(
    '240',
    form.integer(1, 1_000_000),
    'Requests granted to one API key in any 60 seconds, over all processes.',
  ),
  TRUSTED_PROXIES: setting(
    '',
    form.networks,
    'Networks whose X-Forwarded-For is trusted. Empty: the socket decides.',
  ),
  ROLES: setting('api,worker', form.roles, 'What this process does: api, worker, or both.'),
  STOP_DELAY_MS: setting(
    '0',
    form.integer(0, 300_000),
    'How long the service goes on serving after SIGTERM, with /readyz at 503, in milliseconds.',
  ),
  EVENT_RETENTION_DAYS: setting(
    '30',
    form.daysOrEver,
    'How long the feed keeps events, and deliveries their attempts, in days; -1: without end.',
  ),
  RETENTION_SCHEDULE: setting(
    '0 0 * * * *',
    form.schedule,
    'When expired events are deleted: second minute hour day month weekday.',
  ),
  HOOKS_MAX: setting('100', form.integer(1, 10_000), 'Largest number of webhook subscriptions.'),
  WEBHOOK_CONCURRENCY: setting(
    String(hookConcurrency),
    form.integer(1, 64),
    'Requests under way at once to one webhook subscription.',
  ),
  WEBHOOK_ALLOWED_NETWORKS: setting(
    '',
    form.networks,
    'Private networks that webhooks may be sent to, as addresses or CIDR.',
  ),
  WEBHOOK_CA_FILE: optional(
    form.certificateFile,
    'PEM certificates trusted next to the usual ones when webhooks and e-mails are sent.',
  ),
  WEBHOOK_RETRY_DELAYS: setting(
    retryDelays.join(','),
    form.delays,
    `Seconds before attempts 2 to ${retryDelays.length + 1} of a delivery; the last value repeats.`,
  ),
  SECRETS_KEY: setting(
    '',
    form.secretsKeys,
    'Encrypts signing secrets: 32 bytes, hex or base64. Of several the first encrypts, all decrypt. Unset: a key generated and kept in DATA_DIR.',
  ),
  DASHBOARD_PASSWORD: optional(
    form.ownersPassword,
    "The owner's password for /dashboard. Unset: generated at the first start of the embedded server; with DATABASE_URL the dashboard is off.",
  ),
  WORKSPACE_NAME: setting(
    'Workspace Data API',
    form.shortName,
    'What the dashboard is headed with, once the owner is signed in.',
  ),
  SMTP_URL: optional(
    form.mailServer,
    'Mail server for notices by e-mail: smtps:// from the first byte, smtp:// with STARTTLS; unencrypted only on this machine, or with ?tls=off. Needs NOTICE_FROM.',
  ),
  NOTICE_FROM: optional(form.mailAddress, 'Sender of notices by e-mail.'),
  NOTICE_TO: setting(
    '',
    form.mailAddresses,
    'Who gets notices by e-mail, up to 5. The dashboard can name others.',
  ),
  METRICS_PORT: optional(
    form.integer(0, 65_535),
    'Port of /metrics for Prometheus, at HOST, without authentication; 0: any free one. Unset: none.',
  ),
  LOG_LEVEL: setting(
    'info',
    form.oneOf(logLevels),
    `Lowest level that is logged: ${logLevels.join(', ')}.`,
  ),
}

type Settings = typeof settings
export type SettingName = keyof Settings
export type Config = { [Name in SettingName]: StaticDecode<Settings[Name]> }

export const settingNames = Object.keys(settings) as SettingName[]

/** What is known of a setting besides how it is read. */
export const factsOf = (name: SettingName): Facts => settings[name] as never

type Environment = Record<string, string | undefined>

/** Reads the environment. Throws ConfigError with one line per mistake; never repeats a secret's value. */
export function readConfig(environment: Environment): Config {
  const mistakes: string[] = []
  const values = settingNames.map(name => {
    const given = environment[name] || factsOf(name).default
    try {
      return [name, given && settings[name][TransformKind].Decode(given)]
    } catch (error) {
      mistakes.push(`${name} must be ${(error as Error).message}`)
      return [name, undefined]
    }
  })
  const { SMTP_URL, NOTICE_FROM, NOTICE_TO } = environment
  if (SMTP_URL && !NOTICE_FROM) mistakes.push('NOTICE_FROM must be set with SMTP_URL')
  if (NOTICE_TO && !SMTP_URL) mistakes.push('SMTP_URL must be set with NOTICE_TO')
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'))
  return Object.fromEntries(values.map(([name, value]) => [name, value === '' ? [] : value]))
}

const mask = '***'

/** The address without its passwords, however they are written: one ends at the last @. */
export const maskUrl = (text: string): string =>
  text
    .replace(/^(\w+:\/\/[^:@]*):.*@/s, `$1:${mask}@`)
    .replace(/([?&][^=&]*pass[^=&]*=)[^&]*/gi, `$1${mask}`)

function shown(name: SettingName, value: unknown): string {
  const text = String(value ?? '')
  if (/^(SECRETS_KEY|DASHBOARD_PASSWORD|SMTP_URL)$/.test(name)) return text && mask
  return /^DATABASE_\w*URL$/.test(name) ? maskUrl(text) : text
}

/** The effective configuration as people may see it: one `NAME=value  # source` line each, secrets masked. */
export const printConfig = (config: Config, environment: Environment): string =>
  settingNames
    .map(name => [name, shown(name, config[name]), environment[name] ? 'environment' : 'default'])
    .map(([name, value, source]) => `${name}=${value}  # ${source}`)
    .join('\n')

/** The certificates of WEBHOOK_CA_FILE in PEM form, trusted in addition to the usual authorities. */
export const webhookCa = ({ WEBHOOK_CA_FILE: file }: Config): string | undefined =>
  file && readFileSync(file, 'utf8')

export const environment = (): Environment => process.env

/** Where clients reach a service that listens on `port`. */
export const publicUrlOf = (
  { PUBLIC_URL, HOST }: Pick<Config, 'PUBLIC_URL' | 'HOST'>,
  port: number,
): string => PUBLIC_URL ?? `http://${isIP(HOST) === 6 ? `[${HOST}]` : HOST}:${port}`
