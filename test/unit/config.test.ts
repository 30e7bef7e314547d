// Configuration: every variable is checked, all mistakes are reported at once, secrets are masked.
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import {
  factsOf,
  maskUrl,
  printConfig,
  readConfig,
  type SettingName,
  settingNames,
} from '../../src/config/settings.ts'
import { ConfigError } from '../../src/lib/config_error.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'

const mistakesOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the configuration was accepted')
}

const dir = makeDataDir('config')
afterAll(() => removeDataDir(dir))
const file = (name: string, text: string) => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

const secretUrl = 'postgres://owner:geheim@db.example:5432/workspace'
const several = 'postgres://owner:ge,heim@a.example:5432,b.example:5433/workspace?sslmode=require'
const certificates = file('good.pem', rootCertificates.slice(0, 2).join('\n'))
const notices = { SMTP_URL: 'smtp://mail.example.com', NOTICE_FROM: 'workspace@example.com' }

test('an empty environment, and empty variables, give the defaults; others are left alone', () => {
  const defaults = readConfig({})
  expect(defaults).toMatchObject({
    ...{ HOST: '127.0.0.1', PORT: 3000, RATE_LIMIT_PER_MINUTE: 240, TRUSTED_PROXIES: [] },
    ...{ ROLES: ['api', 'worker'], EVENT_RETENTION_DAYS: 30, WEBHOOK_CONCURRENCY: 8 },
    ...{ WEBHOOK_RETRY_DELAYS: [10, 60, 300, 1800], LOG_LEVEL: 'info' },
  })
  for (const name of settingNames)
    if (factsOf(name).default === undefined) expect(defaults[name]).toBeUndefined()
  expect(readConfig(Object.fromEntries(settingNames.map(name => [name, ''])))).toEqual(defaults)
  expect(readConfig({ PATH: '/bin', PORTS: 'x' })).toEqual(defaults)
})

test('every setting is described in a sentence', () => {
  for (const name of settingNames) expect(factsOf(name).description).toMatch(/^[A-Z].+\.$/)
})

/** [name, given, value]; without a value it is what was given. */
const accepted: [name: SettingName, given: string, value?: unknown][] = [
  ...['0', '65535', '0080'].map(one => ['PORT', one, Number(one)] as [SettingName, string, number]),
  ...[secretUrl, several, 'postgresql://%2Ftmp/workspace?user=a', 'postgres://[::1]/workspace'].map(
    one => ['DATABASE_URL', one] as [SettingName, string],
  ),
  ['DATABASE_LISTEN_URL', several],
  ['DATABASE_URL', 'postgres://db.example/w?sslmode=verify-ca&sslrootcert=system'],
  ['SQL_DIR', dir],
  ['PUBLIC_URL', 'http://[::1]:3000'],
  ['TRUSTED_PROXIES', '10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
  ['ROLES', 'worker, api', ['worker', 'api']],
  ['RETENTION_SCHEDULE', ' 0  0 0 L * 1#1'],
  ['RETENTION_SCHEDULE', '0 0 0 29 2 *'],
  ['EVENT_RETENTION_DAYS', '-1', -1],
  ['EVENT_RETENTION_DAYS', '0.0001', 0.0001],
  ['WEBHOOK_CONCURRENCY', '1', 1],
  ['WEBHOOK_CONCURRENCY', '64', 64],
  ['WEBHOOK_RETRY_DELAYS', '0.05', [0.05, 0.05, 0.05, 0.05]],
  ['WEBHOOK_RETRY_DELAYS', '0,1, 86400,2', [0, 1, 86_400, 2]],
  ['WEBHOOK_CA_FILE', certificates],
  ['DASHBOARD_PASSWORD', 'ü'.repeat(1_024)],
  ['DASHBOARD_PASSWORD', ' pässwörter 密码 '],
  ['SMTP_URL', 'smtps://owner%40example.com:ge%20heim@mail.example.com:465/'],
  ['SMTP_URL', 'smtp://10.0.0.1:25?tls=off'],
  [
    'NOTICE_TO',
    'a@example.com, b.c+d@sub.example.com,a@example.com',
    ['a@example.com', 'b.c+d@sub.example.com'],
  ],
]

test.each(accepted)('%s takes %j', (name, given, value = given) => {
  expect(readConfig({ ...notices, [name]: given })[name] as unknown).toEqual(value)
})

const list = (text: string) => text.trim().split(/\s+/)
const address = 'DATABASE_URL must be an address of PostgreSQL'
const example =
  'DATABASE_URL must be an address such as postgres://user:password@127.0.0.1:5432/workspace'
const pem = 'must be a readable file of certificates in PEM form'

/** By the beginning of the sentence, what it refuses. */
const refused: Record<string, string[]> = {
  'PORT must be a whole number from 0 to 65535': [...list('-1 65536 0x50 80.0 ８０'), ' 80', ' '],
  [example]: list(`mysql://x postgres://a:b:c,d/x postgres://owner:geheim@a.example,/x
    postgres://owner:geheim@,b.example/x postgres://owner:geheim@127.0.0.1:1,127.0.0.1:99999/x`),
  [`${example}, in which a space, /, ?, # and % of a password are written as %20, `]: [
    ...list('postgres://owner:ge%zzheim@db/w postgres://owner:geheim%@db/w'),
    ...['postgres://o:ge heim@db/w', 'postgres://o:ge/heim@db/w', 'postgres://o:ge#heim@db/w'],
  ],
  [`${address} whose sslmode is one of disable, allow, `]: list(`postgres://db/w?sslmode=
    postgres://db/w?sslmode=required postgres://db/w?sslmode=disable&sslmode=on`),
  [`${address} whose sslmode is verify-full, as sslrootcert needs`]: list(
    'postgres://db/w?sslrootcert=system postgres://db/w?sslmode=require&sslrootcert=system',
  ),
  [`DATABASE_URL ${pem}`]: ['postgres://db/w?sslmode=verify-full&sslrootcert=/no/such.pem'],
  'DATABASE_READ_URL must be an address of PostgreSQL with one host': [several],
  'SQL_DIR must be a readable directory': [join(dir, 'missing'), certificates],
  'PUBLIC_URL must be an origin without a path': list(`api.example.com ftp://api.example.com
    https://api.example.com/ https://user:password@api.example.com https:// https://api.example.com\\v1`),
  'TRUSTED_PROXIES must be addresses or CIDR networks': list(
    '10.0.0.0/33 ::/129 10.0.0/8 10.0.0.0/ 10.0.0.0/8/9 10.0.0.1%eth0 proxy *',
  ),
  'WEBHOOK_ALLOWED_NETWORKS must be addresses or CIDR networks': ['intranet'],
  'ROLES must be api, worker, or both': list('admin api,admin api, API'),
  'EVENT_RETENTION_DAYS must be a number of days from 0.0001 on, or -1': list('0 0.000001 -2 1e3'),
  'RETENTION_SCHEDULE must be a schedule of six fields, seconds first, that comes up': [
    ...['0 0 * * *', '0 0 * * * * 2020', '@daily', '0 0 0 32 1 *', 'soon', '0 0 0 31 2 *'],
    '0 0 0 31 4,6 *',
  ],
  'HOOKS_MAX must be a whole number from 1 to 10000': ['0'],
  'WEBHOOK_CONCURRENCY must be a whole number from 1 to 64': list('0 65 8.5 many'),
  'WEBHOOK_RETRY_DELAYS must be 1 to 4 delays in seconds up to 86400': list(
    '1,2,3,4,5 1,,2 , -1 1e3 86401 .5 1.0001',
  ),
  [`WEBHOOK_CA_FILE ${pem}`]: [join(dir, 'missing'), dir, file('text.pem', 'geheim')],
  'SECRETS_KEY must be 32 bytes in hex or base64, ': ['geheim'],
  'DASHBOARD_PASSWORD must be 12 to 1,024 characters long, without a line end ': [
    'geheim',
    `${'ü'.repeat(1_024)}x`,
    'geheim und lang\n',
    'geheim\tund lang',
  ],
  'SMTP_URL must be an address of a mail server, such as smtp://': list(`mail.example.com:25 smtp://
    smtp://mail.example.com/path smtp://mail.example.com?tls=no smtp://owner:%zz@mail.example.com
    smtp://mail.example.com:0 smtp://owner@mail.example.com`),
  'NOTICE_FROM must be an e-mail address without a name': ['a@example.com\r\nBcc: b@example.com'],
  'NOTICE_TO must be up to 5 e-mail addresses without names': [
    ...list('example.com a@example.com;b@example.com a@-example.com a@b@example.com'),
    ...['Owner <owner@example.com>', 'a@x.de,b@x.de,c@x.de,d@x.de,e@x.de,f@x.de'],
  ],
  'LOG_LEVEL must be one of debug, info, warn, error, silent': ['loud'],
}

test.each(Object.entries(refused))('%s', (sentence, given) => {
  const [name = ''] = sentence.split(' ')
  for (const text of given) {
    const mistake = mistakesOf({ ...notices, [name]: text })
    expect(mistake).toStartWith(sentence)
    expect(mistake).not.toContain('\n')
    expect(mistake).not.toContain('geheim')
  }
})

test('all mistakes are reported at once, one line each', () => {
  const environment = {
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    METRICS_PORT: 'off',
    HOOKS_MAX: '0',
  }
  expect(mistakesOf(environment)).toBe(
    [
      'PORT must be a whole number from 0 to 65535',
      'DATABASE_URL must be an address such as postgres://user:password@127.0.0.1:5432/workspace, in which a space, /, ?, # and % of a password are written as %20, %2F, %3F, %23 and %25',
      'HOOKS_MAX must be a whole number from 1 to 10000',
      'METRICS_PORT must be a whole number from 0 to 65535',
    ].join('\n'),
  )
})

test.each([
  [{ SMTP_URL: notices.SMTP_URL }, 'NOTICE_FROM must be set with SMTP_URL'],
  [{ NOTICE_TO: 'owner@example.com' }, 'SMTP_URL must be set with NOTICE_TO'],
])('%j do not go together', (environment, mistake) => {
  expect(mistakesOf(environment as never)).toBe(mistake)
})

test('the effective configuration is printed with its sources, secrets masked', () => {
  const environment = {
    DATABASE_URL: secretUrl,
    DATABASE_LISTEN_URL: secretUrl,
    PORT: '8080',
    SECRETS_KEY: `${'ab'.repeat(32)},${'cd'.repeat(32)}`,
    DASHBOARD_PASSWORD: 'geheim und lang',
    SMTP_URL: 'smtp://owner:geheim@mail.example.com',
    NOTICE_FROM: 'workspace@example.com',
    TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    LOG_LEVEL: '',
    DATA_DIR: '/nowhere',
  }
  const printed = printConfig(readConfig(environment), environment)
  expect(printed).toMatchInlineSnapshot(`
    "HOST=127.0.0.1  # default
    PORT=8080  # environment
    DATABASE_URL=postgres://owner:***@db.example:5432/workspace  # environment
    DATABASE_LISTEN_URL=postgres://owner:***@db.example:5432/workspace  # environment
    DATABASE_READ_URL=  # default
    STATEMENT_TIMEOUT_MS=5000  # default
    DATA_DIR=/nowhere  # environment
    SQL_DIR=  # default
    PUBLIC_URL=  # default
    RATE_LIMIT_PER_MINUTE=240  # default
    TRUSTED_PROXIES=10.0.0.0/8,::1  # environment
    ROLES=api,worker  # default
    STOP_DELAY_MS=0  # default
    EVENT_RETENTION_DAYS=30  # default
    RETENTION_SCHEDULE=0 0 * * * *  # default
    HOOKS_MAX=100  # default
    WEBHOOK_CONCURRENCY=8  # default
    WEBHOOK_ALLOWED_NETWORKS=  # default
    WEBHOOK_CA_FILE=  # default
    WEBHOOK_RETRY_DELAYS=10,60,300,1800  # default
    SECRETS_KEY=***  # environment
    DASHBOARD_PASSWORD=***  # environment
    WORKSPACE_NAME=Workspace Data API  # default
    SMTP_URL=***  # environment
    NOTICE_FROM=workspace@example.com  # environment
    NOTICE_TO=  # default
    METRICS_PORT=  # default
    LOG_LEVEL=info  # default"
  `)
  expect(printed).not.toContain('geheim')
  expect(printed).not.toMatch(/abab|cdcd/)
})

test.each([
  ['postgres://owner:geheim@db.example:5432/w', 'postgres://owner:***@db.example:5432/w'],
  [
    'postgres://owner@db.example/w?sslmode=require',
    'postgres://owner@db.example/w?sslmode=require',
  ],
  ['postgres://db/w?user=a&password=geheim', 'postgres://db/w?user=a&password=***'],
  ['postgres://o:ge@heim@db/w', 'postgres://o:***@db/w'],
  // Unescaped, these end the host too early, and the rest looks like a path.
  ['postgres://owner:1/geheim@db.example/w', 'postgres://owner:***@db.example/w'],
  ['postgres://owner:1?geheim@db.example/w', 'postgres://owner:***@db.example/w'],
  ['postgres://owner:1#geheim@db.example/w', 'postgres://owner:***@db.example/w'],
  ['postgres://ow/ner:geheim@db.example/w', 'postgres://ow/ner:***@db.example/w'],
  [several, 'postgres://owner:***@a.example:5432,b.example:5433/workspace?sslmode=require'],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown)
})
