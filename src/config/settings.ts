// The whole configuration: one table of settings over the environment, the only reader of process.env. Every variable is
// checked at start, and all mistakes are reported at once.
import { isIP } from 'node:net'
import { type StaticDecode, TransformKind, Type } from '@sinclair/typebox'
import { ConfigError } from '../lib/config_error.ts'
import { concurrency, retryDelays } from '../model/delivery_rules.ts'
import type { KeptFile } from './data_dir.ts'
import * as form from './parsers.ts'

type Facts = {
  description: string
  /** Completes "NAME must be …, such as …"; where there is none, the default does. */
  example?: string
  secret?: boolean
  /** Where in DATA_DIR the service keeps a value that it made, because this was unset. */
  file?: KeptFile
}

/** `parse` throws an Error whose message completes the sentence "NAME must be …". */
const optional = <Value>(parse: (text: string) => Value, facts: Facts & { default?: string }) =>
  Type.Transform(Type.String(facts))
    .Decode((text): Value | undefined => parse(text))
    .Encode(String)

/** The default as an operator would write it. */
const setting = <Value>(parse: (text: string) => Value, facts: Facts & { default: string }) =>
  Type.Transform(Type.String(facts)).Decode(parse).Encode(String)

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const
const languages = ['de', 'en'] as const

export const settings = {
  HOST: setting(form.host, { default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: setting(form.integer(0, 65_535), {
    default: '3000',
    description: 'Port to listen on; 0: any free one.',
  }),
  DATABASE_URL: optional(form.postgresUrls, {
    description:
      'PostgreSQL 15 or newer; of several hosts (a:5432,b:5432) the one that takes writes. Unset: an embedded server under DATA_DIR, with demo data.',
    example: 'postgres://user:password@127.0.0.1:5432/workspace',
    secret: true,
    file: 'database_url',
  }),
  DATABASE_LISTEN_URL: optional(form.postgresUrls, {
    description:
      'The same database without a pooler in between, for notifications. Unset: DATABASE_URL.',
    example: 'postgres://user:password@db.example.com:5432/workspace',
    secret: true,
  }),
  DATABASE_READ_URL: optional(form.postgresUrl, {
    description:
      'A streaming replica that answers lists and single rows, a moment late. Unset, or while it is away: DATABASE_URL.',
    example: 'postgres://user:password@replica.example.com:5432/workspace',
    secret: true,
  }),
  DATABASE_POOL_MAX: setting(form.integer(1, 100), {
    default: '4',
    description:
      'Connections for statements that are planned once, and as many again for the others. Requests share them, so a few are enough. One key uses one less, at least one.',
  }),
  DATABASE_WAIT_MS: setting(form.integer(0, 3_600_000), {
    default: '60000',
    description: 'How long a start waits for a database that does not answer, in milliseconds.',
  }),
  STATEMENT_TIMEOUT_MS: setting(form.integer(100, 60_000), {
    default: '5000',
    description: 'How long one statement of a request may run, in milliseconds.',
  }),
  DATA_DIR: setting(String, {
    default: '.data',
    description: 'Directory of the embedded PostgreSQL, and of a key where SECRETS_KEY is unset.',
  }),
  SQL_DIR: optional(form.directory, {
    description: 'Directory whose .sql files replace the embedded ones of the same path.',
    example: '/etc/workspace-data-api/sql',
  }),
  PUBLIC_URL: optional(form.origin, {
    description: 'Origin under which clients reach the service; shown in the API description.',
    example: 'https://api.example.com',
  }),
  RATE_LIMIT_PER_MINUTE: setting(form.integer(1, 1_000_000), {
    default: '240',
    description: 'Requests granted to one API key in any 60 seconds, over all processes.',
  }),
  TRUSTED_PROXIES: setting(form.networks, {
    default: '',
    description: 'Networks whose X-Forwarded-For is trusted. Empty: the socket decides.',
    example: '10.0.0.0/8,::1',
  }),
  KEY_CACHE_TTL_MS: setting(form.integer(100, 60_000), {
    default: '5000',
    description: 'Milliseconds for which a revoked key can stay valid without notifications.',
  }),
  ROLES: setting(form.readRoles, {
    default: 'api,worker',
    description: 'What this process does: api, worker, or both.',
  }),
  STOP_DELAY_MS: setting(form.integer(0, 300_000), {
    default: '0',
    description:
      'How long the service goes on serving after SIGTERM, with /readyz at 503, in milliseconds.',
  }),
  EVENT_RETENTION_DAYS: setting(form.daysOrEver, {
    default: '30',
    description:
      'How long the feed keeps events, and deliveries their attempts, in days; -1: without end.',
  }),
  RETENTION_SCHEDULE: setting(form.schedule, {
    default: '0 0 * * * *',
    description: 'When expired events are deleted: second minute hour day month weekday.',
  }),
  HOOKS_MAX: setting(form.integer(1, 10_000), {
    default: '100',
    description: 'Largest number of webhook subscriptions.',
  }),
  WEBHOOK_CONCURRENCY: setting(form.integer(1, 64), {
    default: String(concurrency),
    description: 'Requests under way at once to one webhook subscription.',
  }),
  WEBHOOK_ALLOWED_NETWORKS: setting(form.networks, {
    default: '',
    description: 'Private networks that webhooks may be sent to, as addresses or CIDR.',
    example: '10.20.0.0/16',
  }),
  WEBHOOK_CA_FILE: optional(form.certificateFile, {
    description:
      'PEM certificates trusted next to the usual ones when webhooks and e-mails are sent.',
    example: '/etc/ssl/company.pem',
  }),
  WEBHOOK_RETRY_DELAYS: setting(form.delays, {
    default: retryDelays.join(','),
    description: `Seconds before attempts 2 to ${retryDelays.length + 1} of a delivery; the last value repeats.`,
  }),
  SECRETS_KEY: setting(form.secretsKeys, {
    default: '',
    description:
      'Encrypts signing secrets: 32 bytes, hex or base64. Of several the first encrypts, all decrypt. Unset: a key generated and kept in DATA_DIR.',
    example: '`openssl rand -base64 32` makes',
    secret: true,
    file: 'secrets_key',
  }),
  DASHBOARD_PASSWORD: optional(form.ownersPassword, {
    description:
      "The owner's password for /dashboard. Unset: generated at the first start of the embedded server; with DATABASE_URL the dashboard is off.",
    example: '`openssl rand -base64 18` makes',
    secret: true,
    file: 'dashboard_password',
  }),
  WORKSPACE_NAME: setting(form.shortName, {
    default: 'Workspace Data API',
    description: 'What the dashboard is headed with, once the owner is signed in.',
    example: 'Maklerbüro Beispiel',
  }),
  SMTP_URL: optional(form.mailServer, {
    description:
      'Mail server for notices by e-mail: smtps:// from the first byte, smtp:// with STARTTLS; unencrypted only on this machine, or with ?tls=off. Needs NOTICE_FROM.',
    example: 'smtp://user:password@mail.example.com:587',
    secret: true,
  }),
  NOTICE_FROM: optional(form.mailAddress, {
    description: 'Sender of notices by e-mail.',
    example: 'workspace@example.com',
  }),
  NOTICE_TO: setting(form.mailAddresses, {
    default: '',
    description: 'Who gets notices by e-mail, up to 5. The dashboard can name others.',
    example: 'owner@example.com',
  }),
  NOTICE_LANGUAGE: setting(form.oneOf(languages), {
    default: 'de',
    description: `Language of notices by e-mail: ${languages.join(', ')}.`,
  }),
  METRICS_PORT: optional(form.integer(0, 65_535), {
    description:
      'Port of /metrics for Prometheus, at HOST, without authentication; 0: any free one. Unset: none.',
    example: '9464',
  }),
  LOG_LEVEL: setting(form.oneOf(logLevels), {
    default: 'info',
    description: `Lowest level that is logged: ${logLevels.join(', ')}.`,
  }),
}

type Settings = typeof settings
export type SettingName = keyof Settings
export type Config = { [Name in SettingName]: StaticDecode<Settings[Name]> }

export const settingNames = Object.keys(settings) as SettingName[]

/** What is known of a setting besides how it is read. */
export const factsOf = (name: SettingName): Facts & { default?: string } => settings[name] as never

// A short plain word or list: an address may hold a password, and a long word be a secret in the wrong variable.
const plain = /^[\w .,*/-]{1,20}$/

function mistakeOf(name: SettingName, given: string, rule: string): string {
  const { secret, example, default: fallback } = factsOf(name)
  const found = !secret && plain.test(given) ? `, not "${given}"` : ''
  return `${name} must be ${rule}, such as ${example ?? fallback}${found}`
}

/** What no setting can see by itself. Of those that are mistaken there is nothing. */
function conflictsOf({
  PORT,
  METRICS_PORT,
  ROLES,
  SMTP_URL,
  NOTICE_FROM,
  NOTICE_TO,
}: Partial<Config>) {
  const found: [name: SettingName, rule: string][] = []
  if (PORT && PORT === METRICS_PORT && ROLES?.includes('api'))
    found.push(['METRICS_PORT', 'another port than PORT'])
  if (SMTP_URL && !NOTICE_FROM) found.push(['NOTICE_FROM', 'set with SMTP_URL'])
  if (!SMTP_URL && NOTICE_TO?.length) found.push(['SMTP_URL', 'set with NOTICE_TO'])
  return found
}

/** Reads the environment. Throws ConfigError with one line per mistake; never repeats a secret's value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const mistakes = new Map<SettingName, string>()
  const values = settingNames.map(name => {
    const given = environment[name] || factsOf(name).default
    if (given === undefined) return [name, undefined]
    try {
      return [name, given === '' ? [] : settings[name][TransformKind].Decode(given)]
    } catch (error) {
      mistakes.set(name, mistakeOf(name, given, (error as Error).message))
      return [name, undefined]
    }
  })
  const config = Object.fromEntries(values) as Config
  for (const [name, rule] of conflictsOf(config))
    if (!mistakes.has(name)) mistakes.set(name, mistakeOf(name, '', rule))
  if (mistakes.size > 0) throw new ConfigError([...mistakes.values()].join('\n'))
  return config
}

export const environment = (): Record<string, string | undefined> => process.env

/** Where clients reach a service that listens on `port`. */
export const publicUrlOf = (
  { PUBLIC_URL, HOST }: Pick<Config, 'PUBLIC_URL' | 'HOST'>,
  port: number,
): string => PUBLIC_URL ?? `http://${isIP(HOST) === 6 ? `[${HOST}]` : HOST}:${port}`
