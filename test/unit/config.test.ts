// Configuration: every variable is checked, all mistakes are reported at once, secrets are masked.
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { maskUrl, printConfig } from '../../src/config/print.ts'
import { factsOf, readConfig, type SettingName, settingNames } from '../../src/config/settings.ts'
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
    ...{ WEBHOOK_RETRY_DELAYS: [10, 60, 300, 1800], NOTICE_LANGUAGE: 'de', LOG_LEVEL: 'info' },
  })
  for (const name of settingNames)
    if (factsOf(name).default === undefined) expect(defaults[name]).toBeUndefined()
  expect(readConfig(Object.fromEntries(settingNames.map(name => [name, ''])))).toEqual(defaults)
  expect(readConfig({ PATH: '/bin', PORTS: 'x' })).toEqual(defaults)
})

test('every setting is described in a sentence, and shows a default or an example that is no mistake', () => {
  for (const name of settingNames) {
    const { description, default: value, example } = factsOf(name)
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)])
    expect([name, Boolean(value || example)]).toEqual([name, true])
  }
  // Others are commands that make one, and paths that are not there.
  const others = ['SECRETS_KEY', 'DASHBOARD_PASSWORD', 'WEBHOOK_CA_FILE', 'SQL_DIR']
  const named = settingNames.filter(name => factsOf(name).example && !others.includes(name))
  expect(named.length).toBeGreaterThan(8)
  const together = Object.fromEntries(named.map(name => [name, factsOf(name).example]))
  expect(readConfig(together)).toBeObject()
})

const list = (text: string) => text.split('¦').map(one => one.trim())

/** [name, given, value]; without a value each one of a list is taken as it was given. */
const accepted: [name: SettingName, given: string | string[], value?: unknown][] = [
  ['PORT', '0080', 80],
  ['PORT', '65535', 65_535],
  [
    'DATABASE_URL',
    list(`${secretUrl} ¦ ${several} ¦ postgresql://%2Ftmp/workspace?user=a
    ¦ postgres://[::1]/workspace ¦ postgres://db.example/w?sslmode=verify-ca&sslrootcert=system`),
  ],
  ['DATABASE_LISTEN_URL', [several]],
  ['SQL_DIR', [dir]],
  ['HOST', list('0.0.0.0 ¦ :: ¦ [::1] ¦ localhost ¦ api_1.internal.example')],
  ['PUBLIC_URL', ['http://[::1]:3000']],
  ['TRUSTED_PROXIES', '10.0.0.0/8, ::1,fd00::/8,', ['10.0.0.0/8', '::1', 'fd00::/8']],
  ['ROLES', 'worker, api', ['worker', 'api']],
  ['RETENTION_SCHEDULE', [' 0  0 0 L * 1#1', '0 0 0 29 2 *']],
  ['EVENT_RETENTION_DAYS', '-1', -1],
  ['EVENT_RETENTION_DAYS', '0.0001', 0.0001],
  ['WEBHOOK_CONCURRENCY', '64', 64],
  ['WEBHOOK_RETRY_DELAYS', '0.05', [0.05, 0.05, 0.05, 0.05]],
  ['WEBHOOK_RETRY_DELAYS', '0,1, 86400,2', [0, 1, 86_400, 2]],
  ['WEBHOOK_CA_FILE', [certificates]],
  ['DASHBOARD_PASSWORD', ['ü'.repeat(1_024), ' pässwörter 密码 ']],
  [
    'SMTP_URL',
    list(
      `smtps://owner%40example.com:ge%20heim@mail.example.com:465/ ¦ smtp://10.0.0.1:25?tls=off`,
    ),
  ],
  [
    'NOTICE_TO',
    'a@example.com, b.c+d@x.example.com,a@example.com',
    list('a@example.com ¦ b.c+d@x.example.com'),
  ],
]

test.each(accepted)('%s takes %j', (name, given, value: unknown = null) => {
  for (const one of [given].flat())
    expect(readConfig({ ...notices, [name]: one })[name] as unknown).toEqual(value ?? one)
})

const address = 'an address of PostgreSQL'
const databaseUrl = 'DATABASE_URL'
/** [name, rule, given …] */
const refused: [name: SettingName, rule: string, given: string | string[]][] = [
  ['PORT', 'a whole number from 0 to 65535', ['-1', '65536', '0x50', '80.0', ' 80', '８０', ' ']],
  [
    'HOST',
    'an address or a name of this machine',
    '* ¦ 127.0.0.1:3000 ¦ http://localhost ¦ a b ¦ [localhost]',
  ],
  [
    databaseUrl,
    address,
    `mysql://x ¦ postgres://a:b:c,d/x ¦ postgres://owner:geheim@a.example,/x
    ¦ postgres://owner:geheim@,b.example/x ¦ postgres://owner:geheim@127.0.0.1:1,127.0.0.1:99999/x`,
  ],
  [
    databaseUrl,
    `${address} in which a % is written as %25`,
    'postgres://owner:ge%zzheim@db/w ¦ postgres://owner:geheim%@db/w',
  ],
  [
    databaseUrl,
    `${address} in which a space, /, ? and # of the password are written as %20, `,
    'postgres://o:ge heim@db/w ¦ postgres://o:ge/heim@db/w ¦ postgres://o:ge#heim@db/w',
  ],
  [
    databaseUrl,
    `${address} whose sslmode is one of disable, allow, `,
    'postgres://db/w?sslmode= ¦ postgres://db/w?sslmode=required ¦ postgres://db/w?sslmode=disable&sslmode=on',
  ],
  [
    databaseUrl,
    `${address} whose sslmode is verify-full where it has sslrootcert`,
    'postgres://db/w?sslrootcert=system ¦ postgres://db/w?sslmode=require&sslrootcert=system',
  ],
  [
    databaseUrl,
    `${address} whose sslrootcert is a readable file of certificates`,
    'postgres://db/w?sslmode=verify-full&sslrootcert=/no/such.pem',
  ],
  ['DATABASE_READ_URL', `${address} with one host`, several],
  ['SQL_DIR', 'a readable directory', [join(dir, 'missing'), certificates]],
  [
    'PUBLIC_URL',
    'an origin without a path',
    `api.example.com ¦ ftp://api.example.com ¦ https://api.example.com/ ¦ https://user:password@api.example.com
    ¦ https:// ¦ https://api.example.com\\v1`,
  ],
  [
    'TRUSTED_PROXIES',
    'addresses or CIDR networks',
    '10.0.0.0/33 ¦ ::/129 ¦ 10.0.0/8 ¦ 10.0.0.0/ ¦ 10.0.0.0/8/9 ¦ proxy ¦ *',
  ],
  ['WEBHOOK_ALLOWED_NETWORKS', 'addresses or CIDR networks', 'intranet'],
  ['ROLES', 'api, worker, or both', 'admin ¦ api,admin ¦ api, ¦ API'],
  ['EVENT_RETENTION_DAYS', 'a number of days from 0.0001 on, or -1', '0 ¦ 0.000001 ¦ -2 ¦ 1e3'],
  [
    'RETENTION_SCHEDULE',
    'a schedule of six fields, seconds first',
    '0 0 * * * ¦ 0 0 * * * * 2020 ¦ @daily ¦ 0 0 0 32 1 * ¦ soon',
  ],
  ['RETENTION_SCHEDULE', 'a schedule of dates that exist', '0 0 0 31 2 * ¦ 0 0 0 31 4,6 *'],
  ['HOOKS_MAX', 'a whole number from 1 to 10000', '0'],
  ['WEBHOOK_CONCURRENCY', 'a whole number from 1 to 64', '0 ¦ 65 ¦ 8.5 ¦ many'],
  [
    'WEBHOOK_RETRY_DELAYS',
    '1 to 4 delays in seconds up to 86400',
    '1,2,3,4,5 ¦ 1,,2 ¦ , ¦ -1 ¦ 1e3 ¦ 86401 ¦ .5 ¦ 1.0001',
  ],
  [
    'WEBHOOK_CA_FILE',
    'a readable file of certificates in PEM form',
    [join(dir, 'missing'), dir, file('text.pem', 'geheim')],
  ],
  ['SECRETS_KEY', '32 bytes in hex or base64, several with commas', 'geheim'],
  ['DASHBOARD_PASSWORD', 'at least 12 characters long', 'geheim'],
  ['DASHBOARD_PASSWORD', 'at most 1,024 characters long', `${'ü'.repeat(1_024)}x`],
  [
    'DASHBOARD_PASSWORD',
    'without a line end or another control character',
    ['geheim und lang\n', 'geheim\tund lang'],
  ],
  [
    'SMTP_URL',
    'an address smtp:// or smtps:// of a mail server',
    `mail.example.com:25 ¦ smtp:// ¦ smtp://mail.example.com/path ¦ smtp://mail.example.com?tls=no
    ¦ smtp://owner:%zz@mail.example.com`,
  ],
  [
    'SMTP_URL',
    'an address of a mail server',
    'smtp://mail.example.com:0 ¦ smtp://owner@mail.example.com',
  ],
  ['NOTICE_FROM', 'an e-mail address without a name', ['a@example.com\r\nBcc: b@example.com']],
  [
    'NOTICE_TO',
    'up to 5 e-mail addresses without names',
    `example.com ¦ Owner <owner@example.com> ¦ a@example.com;b@example.com ¦ a@-example.com ¦ a@b@example.com
    ¦ a@x.de,b@x.de,c@x.de,d@x.de,e@x.de,f@x.de`,
  ],
  ['LOG_LEVEL', 'one of debug, info, warn, error, silent', 'loud'],
]

test.each(refused)('%s must be %s', (name, rule, given) => {
  for (const text of typeof given === 'string' ? list(given) : given) {
    const mistake = mistakesOf({ ...notices, [name]: text })
    expect(mistake).toStartWith(`${name} must be ${rule}`)
    expect(mistake).toContain(', such as ')
    expect(mistake).not.toMatch(/\n|geheim/)
  }
})

test('all mistakes are reported at once, one line each, with what was given where it is short and no secret', () => {
  const url = 'postgres://user:password@127.0.0.1:5432/workspace'
  expect(mistakesOf({ PORT: '70000', DATABASE_URL: 'mysql://x', METRICS_PORT: 'off' })).toBe(
    [
      'PORT must be a whole number from 0 to 65535, such as 3000, not "70000"',
      `DATABASE_URL must be an address of PostgreSQL, such as ${url}`,
      'METRICS_PORT must be a whole number from 0 to 65535, such as 9464, not "off"',
    ].join('\n'),
  )
})

test("a mistake never repeats a secret's value", () => {
  const secrets = settingNames.filter(name => factsOf(name).secret)
  expect(secrets.length).toBeGreaterThan(3)
  for (const name of secrets) expect(mistakesOf({ [name]: 'geheim' })).not.toContain('geheim')
  // In the wrong variable: an address with a password, a word as long as a key.
  for (const given of ['https://owner:geheim@db.example', 'geheim'.repeat(4)])
    for (const name of ['PORT', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'ROLES', 'LOG_LEVEL'])
      expect(mistakesOf({ [name]: given })).not.toContain('geheim')
})

const same = { PORT: '8080', METRICS_PORT: '8080' }

test.each([
  [same, 'METRICS_PORT must be another port than PORT, such as 9464'],
  [
    { SMTP_URL: notices.SMTP_URL },
    'NOTICE_FROM must be set with SMTP_URL, such as workspace@example.com',
  ],
  [
    { NOTICE_TO: 'owner@example.com' },
    'SMTP_URL must be set with NOTICE_TO, such as smtp://user:password@mail.example.com:587',
  ],
])('%j do not go together', (environment, mistake) => {
  expect(mistakesOf(environment as never)).toBe(mistake)
})

test('a setting that is mistaken is in no conflict, and a worker has no PORT', () => {
  expect(mistakesOf({ METRICS_PORT: '3000', PORT: 'x' })).not.toContain('METRICS_PORT')
  expect(mistakesOf({ SMTP_URL: 'x', NOTICE_TO: 'a@example.com' })).not.toContain('\n')
  expect(readConfig({ ...same, ROLES: 'worker' })).toBeObject()
  expect(readConfig({ PORT: '0', METRICS_PORT: '0' })).toBeObject()
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
  expect(printed.split('\n').map(line => line.split('=')[0] ?? '')).toEqual(settingNames)
  for (const line of [
    'HOST=127.0.0.1  # default',
    'PORT=8080  # environment',
    'DATABASE_URL=postgres://owner:***@db.example:5432/workspace  # environment',
    'DATABASE_LISTEN_URL=postgres://owner:***@db.example:5432/workspace  # environment',
    'TRUSTED_PROXIES=10.0.0.0/8,::1  # environment',
    ...['SECRETS_KEY', 'DASHBOARD_PASSWORD', 'SMTP_URL'].map(name => `${name}=***  # environment`),
    'PUBLIC_URL=  # default',
    'LOG_LEVEL=info  # default',
  ])
    expect(printed.split('\n')).toContain(line)
  expect(printed).not.toContain('geheim')
  expect(printed).not.toMatch(/abab|cdcd/)
})

// Unescaped, some end the host too early, and the rest looks like a path.
test.each(
  `postgres://owner:geheim@db.example:5432/w postgres://owner:***@db.example:5432/w
  postgres://owner@db.example/w?sslmode=require postgres://owner@db.example/w?sslmode=require
  postgres://db/w?user=a&password=geheim postgres://db/w?user=a&password=***
  postgres://o:ge@heim@db/w postgres://o:***@db/w
  postgres://owner:1/geheim@db.example/w ***
  postgres://owner:1?geheim@db.example/w ***
  postgres://owner:1#geheim@db.example/w ***
  no-address ***
  ${several} ***`
    .split('\n')
    .map(line => line.trim().split(' ')),
)('%s is shown as %s', (url = '', shown = '') => {
  expect(maskUrl(url)).toBe(shown)
})

test('what the service made is shown as a file, and with DATABASE_URL only its key counts', () => {
  for (const name of ['secrets_key', 'dashboard_password', 'database_url'])
    writeFileSync(join(dir, name), 'geheim')
  const listed = (environment: Record<string, string>) =>
    printConfig(readConfig(environment), environment)
      .split('\n')
      .filter(line => line.includes('# file'))
  const key = `SECRETS_KEY=***  # file ${join(dir, 'secrets_key')}`
  expect(listed({ DATA_DIR: dir })).toEqual([
    `DATABASE_URL=***  # file ${join(dir, 'database_url')}`,
    key,
    `DASHBOARD_PASSWORD=***  # file ${join(dir, 'dashboard_password')}`,
  ])
  const external = { DATA_DIR: dir, DATABASE_URL: secretUrl }
  expect(listed(external)).toEqual([key])
  expect(listed({ ...external, SECRETS_KEY: 'ab'.repeat(32) })).toEqual([])
})
