// Configuration: every variable is checked, all mistakes are told at once, secrets are masked.
import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { maskUrl, printConfig } from '../../src/config/print.ts'
import { readConfig, settings } from '../../src/config/settings.ts'
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

const secretUrl = 'postgres://owner:geheim@db.example:5432/workspace'

test('an empty environment gives the defaults', () => {
  const defaults = Object.entries(settings).map(([name, setting]) => [name, setting.default])
  expect(readConfig({})).toEqual(Object.fromEntries(defaults))
  expect(readConfig({})).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 3000,
    RATE_LIMIT_PER_MINUTE: 240,
    TRUSTED_PROXIES: [],
  })
})

test('DATABASE_URL may have several hosts, DATABASE_READ_URL one', () => {
  const several = 'postgres://owner:ge,heim@a.example:5432,b.example:5433/workspace?sslmode=require'
  expect(readConfig({ DATABASE_URL: several }).DATABASE_URL).toBe(several)
  expect(readConfig({ DATABASE_LISTEN_URL: several }).DATABASE_LISTEN_URL).toBe(several)
  expect(mistakesOf({ DATABASE_READ_URL: several })).toMatch(/^DATABASE_READ_URL must be /)
  expect(mistakesOf({ DATABASE_URL: 'postgres://a:b:c,d/x' })).toMatch(/^DATABASE_URL must be /)
  expect(maskUrl(several)).not.toContain('heim')
})

test.each([
  'postgres://owner:geheim@127.0.0.1:1,127.0.0.1:99999/x',
  'postgres://owner:geheim@a.example:port,b.example/x',
  'postgres://owner:geheim@a.example,/x',
  'postgres://owner:geheim@,b.example/x',
  'postgres://owner:geheim@a.example,b^c/x',
])('%s, of which one host is none, is refused by the name of the setting', DATABASE_URL => {
  const said = mistakesOf({ DATABASE_URL })
  expect(said).toStartWith('DATABASE_URL must be an address of PostgreSQL')
  expect(said).not.toContain('geheim')
})

test('an empty variable counts as unset', () => {
  const empty = Object.fromEntries(Object.keys(settings).map(name => [name, '']))
  expect(readConfig(empty)).toEqual(readConfig({}))
})

test('every default of text form passes its own check', () => {
  for (const { default: value, parse } of Object.values(settings))
    if (value !== undefined && !Array.isArray(value)) expect(parse(String(value))).toBe(value)
})

test('every setting is described in a sentence', () => {
  for (const { description } of Object.values(settings)) expect(description).toMatch(/^[A-Z].+\.$/)
})

test('a mail server is an address of one, and goes with a sender', () => {
  const NOTICE_FROM = 'workspace@example.com'
  for (const SMTP_URL of [
    'smtp://mail.example.com',
    'smtps://owner%40example.com:ge%20heim@mail.example.com:465/',
    'smtp://[::1]:2525?tls=required',
    'smtp://10.0.0.1:25?tls=off',
  ])
    expect(readConfig({ SMTP_URL, NOTICE_FROM }).SMTP_URL).toBe(SMTP_URL)
  for (const SMTP_URL of [
    'mail.example.com:25',
    'https://mail.example.com',
    'smtp://',
    'smtp://:25',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?tls=no',
    'smtp://mail.example.com?requireTLS=false',
    'smtp://mail.example.com:99999',
    'smtp://mail.example.com:0',
    'smtps://mail.example.com:00?tls=required',
    'smtp://owner@mail.example.com',
    'smtp://owner:%zz@mail.example.com',
  ])
    expect([SMTP_URL, mistakesOf({ SMTP_URL, NOTICE_FROM })]).toEqual([
      SMTP_URL,
      expect.stringMatching(/^SMTP_URL must be an address .*mail\.example\.com:587$/),
    ])
  const SMTP_URL = 'smtp://owner:geheim@mail.example.com'
  expect(mistakesOf({ SMTP_URL })).toMatch(/^NOTICE_FROM must be set with SMTP_URL/)
  expect(mistakesOf({ SMTP_URL: 'x', NOTICE_TO: NOTICE_FROM })).not.toContain('\n')
  expect(mistakesOf({ NOTICE_TO: 'owner@example.com' })).toMatch(/^SMTP_URL must be set with/)
  const printed = printConfig(readConfig({ SMTP_URL, NOTICE_FROM }), { SMTP_URL })
  expect(printed).toContain('SMTP_URL=***')
  expect(printed).not.toContain('geheim')
})

test('addresses for notices are plain ones, up to five', () => {
  const more = { SMTP_URL: 'smtp://mail.example.com', NOTICE_FROM: 'workspace@example.com' }
  const read = (NOTICE_TO: string) => readConfig({ ...more, NOTICE_TO }).NOTICE_TO
  expect(read('a@example.com, b.c+d@sub.example.com,a@example.com')).toEqual([
    'a@example.com',
    'b.c+d@sub.example.com',
  ])
  for (const NOTICE_TO of [
    'example.com',
    'Owner <owner@example.com>',
    'a@example.com\nb@example.com',
    'a@example.com;b@example.com',
    'a@-example.com',
    `${'a'.repeat(65)}@example.com`,
    'a@b@example.com',
    Array(6)
      .fill('')
      .map((_, index) => `a${index}@example.com`)
      .join(','),
  ])
    expect(mistakesOf({ ...more, NOTICE_TO })).toMatch(
      /^NOTICE_TO must be up to 5 e-mail addresses/,
    )
  expect(mistakesOf({ ...more, NOTICE_FROM: 'a@example.com\r\nBcc: b@example.com' })).toMatch(
    /^NOTICE_FROM must be an e-mail address/,
  )
})

test('variables that are not ours are left alone', () => {
  expect(readConfig({ PATH: '/bin', PORTS: 'x' })).toEqual(readConfig({}))
})

test('all mistakes are reported at once, one line each, naming variable and rule', () => {
  const environment = {
    HOST: '127.0.0.1:80',
    PORT: '70000',
    DATABASE_URL: 'mysql://x',
    DATABASE_POOL_MAX: '0',
    STATEMENT_TIMEOUT_MS: '1e3',
    SQL_DIR: '/nowhere',
    PUBLIC_URL: 'https://api.example.com/v1',
    RATE_LIMIT_PER_MINUTE: '-1',
    TRUSTED_PROXIES: '10.0.0.0/33',
    KEY_CACHE_TTL_MS: 'soon',
    HOOKS_MAX: '0',
    SECRETS_KEY: 'geheim',
    DASHBOARD_PASSWORD: 'geheim',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'loud',
  }
  expect(mistakesOf(environment)).toBe(
    [
      'HOST must be an address or a name of this machine, without a port, such as 127.0.0.1',
      'PORT must be a whole number from 0 to 65535, such as 3000, not "70000"',
      'DATABASE_URL must be an address of PostgreSQL, such as postgres://user:password@127.0.0.1:5432/workspace',
      'DATABASE_POOL_MAX must be a whole number from 1 to 100, such as 4, not "0"',
      'STATEMENT_TIMEOUT_MS must be a whole number from 100 to 60000, such as 5000, not "1e3"',
      'SQL_DIR must be a readable directory, such as /etc/workspace-data-api/sql, not "/nowhere"',
      'PUBLIC_URL must be an origin without a path, such as https://api.example.com',
      'RATE_LIMIT_PER_MINUTE must be a whole number from 1 to 1000000, such as 240, not "-1"',
      'TRUSTED_PROXIES must be addresses or CIDR networks, such as 10.0.0.0/8,::1, not "10.0.0.0/33"',
      'KEY_CACHE_TTL_MS must be a whole number from 100 to 60000, such as 5000, not "soon"',
      'HOOKS_MAX must be a whole number from 1 to 10000, such as 100, not "0"',
      'SECRETS_KEY must be 32 bytes in hex or base64, several with commas, such as `openssl rand -base64 32` makes',
      'DASHBOARD_PASSWORD must be at least 12 characters long, such as `openssl rand -base64 18` makes',
      'METRICS_PORT must be a whole number from 0 to 65535, such as 9464, not "off"',
      'LOG_LEVEL must be one of debug, info, warn, error, silent, such as info, not "loud"',
    ].join('\n'),
  )
})

test("a mistake never repeats a secret's value", () => {
  const secrets = Object.entries(settings).filter(([, { secret }]) => secret)
  expect(secrets.length).toBeGreaterThan(3)
  for (const [name] of secrets) expect(mistakesOf({ [name]: 'geheim' })).not.toContain('geheim')
  expect(mistakesOf({ DATABASE_URL: 'postgres//owner:geheim@db' })).not.toContain('geheim')
  // In the wrong variable: an address with a password, a word as long as a key.
  for (const given of ['https://owner:geheim@db.example', 'geheim'.repeat(4)])
    for (const name of ['PORT', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'ROLES', 'LOG_LEVEL'])
      expect(mistakesOf({ [name]: given })).not.toContain('geheim')
})

test('the example that a mistake names is none itself', () => {
  const named = Object.entries(settings).flatMap(([name, { example }]) =>
    example === undefined ? [] : [{ name, example }],
  )
  // Commands that make one, and paths that are not there.
  const others = ['SECRETS_KEY', 'DASHBOARD_PASSWORD', 'WEBHOOK_CA_FILE', 'SQL_DIR']
  const values = named.filter(({ name }) => !others.includes(name))
  expect(values.length).toBeGreaterThan(4)
  const together = Object.fromEntries(values.map(({ name, example }) => [name, example]))
  expect(readConfig(together)).toBeObject()
})

test('every setting that has no default to show has an example', () => {
  const bare = Object.entries(settings).filter(
    ([, { default: value, example }]) => !example && String(value ?? '') === '',
  )
  expect(bare).toEqual([])
})

describe('each kind of value', () => {
  test.each(['0', '65535', '0080'])('PORT takes %s', text => {
    expect(readConfig({ PORT: text }).PORT).toBe(Number(text))
  })

  test.each(['-1', '65536', '0x50', '80.0', ' 80', '80 ', '８０', ' '])(
    'PORT refuses "%s"',
    text => {
      expect(mistakesOf({ PORT: text })).toStartWith('PORT must be')
    },
  )

  test.each([secretUrl, 'postgresql://%2Ftmp/workspace?user=a', 'postgres://[::1]/workspace'])(
    'DATABASE_URL takes %s',
    text => {
      expect(readConfig({ DATABASE_URL: text }).DATABASE_URL).toBe(text)
    },
  )

  test.each(['ge%zzheim', 'geheim%', '100%geheim', 'geheim%C3'])(
    'an address of PostgreSQL with the password %j is refused, and the password not told',
    password => {
      for (const name of ['DATABASE_URL', 'DATABASE_LISTEN_URL', 'DATABASE_READ_URL'])
        expect(mistakesOf({ [name]: `postgres://owner:${password}@db.example/workspace` })).toBe(
          `${name} must be an address of PostgreSQL in which a % is written as %25, such as ${settings[name as 'DATABASE_URL'].example}`,
        )
    },
  )

  test.each(['ge heim', 'ge/heim', 'ge#heim', 'ge?heim'])(
    'an address of PostgreSQL with the password %j says how it is written',
    password => {
      const told = mistakesOf({ DATABASE_URL: `postgres://owner:${password}@db.example/workspace` })
      expect(told).toStartWith(
        'DATABASE_URL must be an address of PostgreSQL in which a space, /, ? and # of the password are written as %20, %2F, %3F and %23, such as ',
      )
      expect(told).not.toContain(password)
    },
  )

  test('an sslmode that libpq does not know is refused, not tried as a full check', () => {
    const addressed = (mode: string) =>
      `postgres://owner:geheim@db.example/workspace?sslmode=${mode}`
    for (const mode of ['disable', 'require', 'verify-full'])
      expect(readConfig({ DATABASE_URL: addressed(mode) }).DATABASE_URL).toBe(addressed(mode))
    for (const mode of ['', 'required', 'verify_full', 'disable&sslmode=on'])
      expect(mistakesOf({ DATABASE_URL: addressed(mode) })).toBe(
        `DATABASE_URL must be an address of PostgreSQL whose sslmode is one of disable, allow, prefer, require, verify-ca, verify-full, such as ${settings.DATABASE_URL.example}`,
      )
  })

  test('sslrootcert names certificates, and goes with a check of the server', () => {
    const addressed = (parameters: string) => `postgres://db.example/workspace?${parameters}`
    const refusalOf = (parameters: string) =>
      mistakesOf({ DATABASE_URL: addressed(parameters) }).split(', such as')[0]
    expect(
      readConfig({ DATABASE_URL: addressed('sslmode=verify-ca&sslrootcert=system') }),
    ).toBeObject()
    expect(refusalOf('sslmode=verify-full&sslrootcert=/no/such.pem')).toBe(
      'DATABASE_URL must be an address of PostgreSQL whose sslrootcert is a readable file of certificates in PEM form',
    )
    for (const parameters of ['sslrootcert=system', 'sslmode=require&sslrootcert=system'])
      expect(refusalOf(parameters)).toBe(
        'DATABASE_URL must be an address of PostgreSQL whose sslmode is verify-full where it has sslrootcert',
      )
  })

  test('a replica is one host: another one could not take over', () => {
    const several = 'postgres://db1.example:5432,db2.example:5432/workspace'
    expect(mistakesOf({ DATABASE_READ_URL: several })).toStartWith(
      'DATABASE_READ_URL must be an address of PostgreSQL with one host, such as ',
    )
    expect(readConfig({ DATABASE_URL: several, DATABASE_LISTEN_URL: several })).toBeObject()
  })

  test.each(['admin', 'api,admin', 'api,', 'API'])('ROLES refuses %j', text => {
    expect(mistakesOf({ ROLES: text })).toBe(
      `ROLES must be api, worker, or both, such as api,worker, not "${text}"`,
    )
  })

  test.each(['0.0.0.0', '::', '[::1]', 'localhost', 'api_1.internal.example'])(
    'HOST takes %s',
    host => {
      expect(readConfig({ HOST: host }).HOST).toBe(host)
    },
  )

  test.each(['*', '127.0.0.1:3000', 'http://localhost', 'a b', '[localhost]'])(
    'HOST refuses %s',
    host => {
      expect(mistakesOf({ HOST: host })).toStartWith(
        'HOST must be an address or a name of this machine',
      )
    },
  )

  test('METRICS_PORT is another one than PORT, where there is a PORT', () => {
    const same = { PORT: '8080', METRICS_PORT: '8080' }
    const conflict = 'METRICS_PORT must be another port than PORT, such as 9464'
    expect(mistakesOf(same)).toBe(conflict)
    expect(mistakesOf({ ...same, PORT: '', METRICS_PORT: '3000', HOOKS_MAX: '0' })).toEndWith(
      `\n${conflict}`,
    )
    expect(mistakesOf({ METRICS_PORT: '3000', PORT: 'x' })).not.toContain('METRICS_PORT')
    for (const harmless of [
      { ...same, ROLES: 'worker' },
      { PORT: '0', METRICS_PORT: '0' },
    ])
      expect(readConfig(harmless)).toBeObject()
  })

  test('SQL_DIR is a directory that is there', () => {
    const dir = makeDataDir('sql')
    writeFileSync(join(dir, 'file'), '')
    expect(readConfig({ SQL_DIR: dir }).SQL_DIR).toBe(dir)
    for (const path of [join(dir, 'missing'), join(dir, 'file')])
      expect(mistakesOf({ SQL_DIR: path })).toStartWith('SQL_DIR must be a readable directory')
    removeDataDir(dir)
  })

  test.each(['https://api.example.com', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'PUBLIC_URL takes %s',
    text => {
      expect(readConfig({ PUBLIC_URL: text }).PUBLIC_URL).toBe(text)
    },
  )

  test.each([
    'api.example.com',
    'ftp://api.example.com',
    'https://api.example.com/',
    'https://api.example.com?x=1',
    'https://user:password@api.example.com',
    'https://api .example.com',
    'https://',
    'https://api.example.com\\v1',
  ])('PUBLIC_URL refuses %s', text => {
    expect(mistakesOf({ PUBLIC_URL: text })).toStartWith('PUBLIC_URL must be')
  })

  test.each(['0 0 3 * * *', '*/30 * * * * *', '0 0 0 29 2 *', ' 0  0 0 L * 1#1'])(
    'RETENTION_SCHEDULE takes %s',
    text => {
      expect(readConfig({ RETENTION_SCHEDULE: text }).RETENTION_SCHEDULE).toBe(text)
    },
  )

  test.each(['0 0 * * *', '0 0 * * * * 2020', '0 0 * * * * *', '@daily', '0 0 0 32 1 *', 'soon'])(
    'RETENTION_SCHEDULE refuses %s',
    text => {
      expect(mistakesOf({ RETENTION_SCHEDULE: text })).toStartWith(
        'RETENTION_SCHEDULE must be a schedule of six fields, seconds first, such as 0 0 * * * *',
      )
    },
  )

  test('EVENT_RETENTION_DAYS is at least 0.0001, or -1', () => {
    for (const [text, days] of [
      ['-1', -1],
      ['0.0001', 0.0001],
      ['30', 30],
    ] as const)
      expect(readConfig({ EVENT_RETENTION_DAYS: text }).EVENT_RETENTION_DAYS).toBe(days)
    for (const text of ['0', '0.000001', '-2', '1e3'])
      expect(mistakesOf({ EVENT_RETENTION_DAYS: text })).toStartWith(
        'EVENT_RETENTION_DAYS must be a number of days from 0.0001 on, or -1 to keep events for ever',
      )
  })

  test('RETENTION_SCHEDULE is one that comes', () => {
    for (const text of ['0 0 0 31 2 *', '0 0 0 31 4,6 *'])
      expect(mistakesOf({ RETENTION_SCHEDULE: text })).toStartWith(
        'RETENTION_SCHEDULE must be a schedule of dates that exist, such as 0 0 * * * *',
      )
  })

  test('DASHBOARD_PASSWORD is one that can be typed into the sign-in', () => {
    const longest = 'ü'.repeat(1_024)
    for (const password of [longest, 'geheim und lang', ' pässwörter 密码 '])
      expect(readConfig({ DASHBOARD_PASSWORD: password }).DASHBOARD_PASSWORD).toBe(password)
    const refused = {
      'geheim und lang\n': 'without a line end or another control character',
      'geheim und lang\r\n': 'without a line end or another control character',
      'geheim\tund lang': 'without a line end or another control character',
      [`${longest}x`]: 'at most 1,024 characters long',
    }
    for (const [password, rule] of Object.entries(refused))
      expect(mistakesOf({ DASHBOARD_PASSWORD: password })).toBe(
        `DASHBOARD_PASSWORD must be ${rule}, such as \`openssl rand -base64 18\` makes`,
      )
  })

  test('TRUSTED_PROXIES is a list of addresses and networks, spaces allowed', () => {
    const { TRUSTED_PROXIES } = readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/8,' })
    expect(TRUSTED_PROXIES).toEqual(['10.0.0.0/8', '::1', 'fd00::/8'])
  })

  test('WEBHOOK_RETRY_DELAYS are four: the last one named stands for the rest', () => {
    const delaysOf = (text: string) =>
      readConfig({ WEBHOOK_RETRY_DELAYS: text }).WEBHOOK_RETRY_DELAYS
    expect(delaysOf('')).toEqual([10, 60, 300, 1800])
    expect(delaysOf('0.05')).toEqual([0.05, 0.05, 0.05, 0.05])
    expect(delaysOf('1, 2.5')).toEqual([1, 2.5, 2.5, 2.5])
    expect(delaysOf('0,1,86400,2')).toEqual([0, 1, 86_400, 2])
  })

  test.each(['1,2,3,4,5', '1,,2', ',', '-1', '1e3', '0x10', '86401', '.5', '1.', '1.0001', 'soon'])(
    'WEBHOOK_RETRY_DELAYS refuses %s',
    text => {
      expect(mistakesOf({ WEBHOOK_RETRY_DELAYS: text })).toBe(
        `WEBHOOK_RETRY_DELAYS must be 1 to 4 delays in seconds up to 86400, such as 10,60,300,1800, not "${text}"`,
      )
    },
  )

  test('WEBHOOK_CA_FILE is looked into at start', () => {
    const dir = makeDataDir('ca')
    const file = (name: string, text: string) => {
      writeFileSync(join(dir, name), text)
      return join(dir, name)
    }
    const good = file('good.pem', rootCertificates.slice(0, 2).join('\n'))
    expect(readConfig({ WEBHOOK_CA_FILE: good }).WEBHOOK_CA_FILE).toBe(good)
    const bad = [join(dir, 'missing'), dir, file('empty.pem', ''), file('text.pem', 'geheim')]
    for (const path of bad)
      expect(mistakesOf({ WEBHOOK_CA_FILE: path })).toBe(
        'WEBHOOK_CA_FILE must be a readable file of certificates in PEM form, such as /etc/ssl/company.pem',
      )
    removeDataDir(dir)
  })

  test('WEBHOOK_ALLOWED_NETWORKS is a list of addresses and networks', () => {
    const { WEBHOOK_ALLOWED_NETWORKS } = readConfig({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, ::1' })
    expect(WEBHOOK_ALLOWED_NETWORKS).toEqual(['10.0.0.0/8', '::1'])
    expect(mistakesOf({ WEBHOOK_ALLOWED_NETWORKS: 'intranet' })).toStartWith(
      'WEBHOOK_ALLOWED_NETWORKS must be',
    )
  })

  test.each(['10.0.0.0/33', '::/129', '10.0.0/8', '10.0.0.0/', '10.0.0.0/8/9', 'proxy', '*'])(
    'TRUSTED_PROXIES refuses %s',
    text => {
      expect(mistakesOf({ TRUSTED_PROXIES: text })).toStartWith('TRUSTED_PROXIES must be')
    },
  )
})

test('the effective configuration is printed with its sources, secrets masked', () => {
  const environment = {
    DATABASE_URL: secretUrl,
    DATABASE_LISTEN_URL: secretUrl,
    PORT: '8080',
    SECRETS_KEY: `${'ab'.repeat(32)},${'cd'.repeat(32)}`,
    DASHBOARD_PASSWORD: 'geheim und lang',
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
    DATABASE_POOL_MAX=4  # default
    DATABASE_WAIT_MS=60000  # default
    STATEMENT_TIMEOUT_MS=5000  # default
    DATA_DIR=/nowhere  # environment
    SQL_DIR=  # default
    PUBLIC_URL=  # default
    RATE_LIMIT_PER_MINUTE=240  # default
    TRUSTED_PROXIES=10.0.0.0/8,::1  # environment
    KEY_CACHE_TTL_MS=5000  # default
    ROLES=api,worker  # default
    STOP_DELAY_MS=0  # default
    EVENT_RETENTION_DAYS=30  # default
    RETENTION_SCHEDULE=0 0 * * * *  # default
    HOOKS_MAX=100  # default
    WEBHOOK_ALLOWED_NETWORKS=  # default
    WEBHOOK_CA_FILE=  # default
    WEBHOOK_RETRY_DELAYS=10,60,300,1800  # default
    SECRETS_KEY=***  # environment
    DASHBOARD_PASSWORD=***  # environment
    WORKSPACE_NAME=Workspace Data API  # default
    SMTP_URL=  # default
    NOTICE_FROM=  # default
    NOTICE_TO=  # default
    NOTICE_LANGUAGE=de  # default
    METRICS_PORT=  # default
    LOG_LEVEL=info  # default"
  `)
  expect(printed).not.toContain('geheim')
  expect(printed).not.toMatch(/abab|cdcd/)
})

test('an unset secret is shown as empty', () => {
  const environment = { DATA_DIR: '/nowhere' }
  expect(printConfig(readConfig(environment), environment)).toContain('DATABASE_URL=  # default')
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
  ['postgres://owner:1/geheim@db.example/w', '***'],
  ['postgres://owner:1?geheim@db.example/w', '***'],
  ['postgres://owner:1#geheim@db.example/w', '***'],
  ['no address', '***'],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown)
})

test('what the service made is shown as a file, and with DATABASE_URL only its key counts', () => {
  const dir = makeDataDir('config')
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
  removeDataDir(dir)
})
