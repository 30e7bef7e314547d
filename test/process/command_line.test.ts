// The command line: mistakes, help, settings and a reader that has gone, without a database.
import { describe, expect, test } from 'bun:test'
import { commandLine, missing, type Runtime, run } from '../support/process/program.ts'

type Case = [args: string[], env: Record<string, string>, message: RegExp]

// A mistake in the command line is one whether there is a database or not.
const away = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' }

/** What a runtime can change is how arguments are read and how a process ends: a few of each kind show it. */
const mistakesOfEachKind: Case[] = [
  [['serv'], {}, /^There is no command serv\./],
  [
    ['keys', 'create', '--label', 'CRM', '--label', 'DMS'],
    away,
    /^--label was given more than once\.$/,
  ],
  [
    ['keys', 'create', '--lable', 'x'],
    away,
    /^--lable is no option of this command, which takes --label, --scopes, --expires\.$/,
  ],
  [['config', 'x'], {}, /^x is one argument too many\.$/],
  [['config'], { PORT: '99999', LOG_LEVEL: 'loud' }, /^PORT must be .*\nLOG_LEVEL must be .*$/],
]

const otherMistakes: Case[] = [
  [
    ['keys', 'create', '--label', 'CRM', '--expires', '40'],
    away,
    /^--expires takes a moment to come, with an offset, such as 2030-01-01T00:00:00Z\.$/,
  ],
  [['keys', 'create', '--label'], away, /^--label needs a value\.$/],
  [
    ['keys', 'create', '--label', '--scopes', 'read:leads'],
    away,
    /^--label needs a value; one that begins with - is written --label=VALUE\.$/,
  ],
  [['serve', '--port', '80'], {}, /^--port is no option of this command, which takes none\.$/],
  [['redact', '--restart=yes'], away, /^--restart takes no value\.$/],
  [['hooks', 'trigger'], away, /^The event type must be one of lead\.created, /],
  [['keys', 'create'], away, /^--label is missing: /],
  [['keys', 'create', '--label', ' '], away, /^--label takes 1 to 200 printable characters\.$/],
  [
    ['keys', 'create', '--label', 'x', '--scopes', 'read:all'],
    away,
    /^There is no scope read:all\./,
  ],
  [
    ['keys', 'create', '--label', 'x', '--scopes', ''],
    away,
    /^Give at least one scope: read:leads, .+\.$/,
  ],
  [
    ['roles', '--prefix', '1abc'],
    away,
    /^--prefix takes 1 to 40 lower-case letters, digits and underscores, beginning with a letter\.$/,
  ],
  [['keys', 'create', '--label', 'CRM', 'System'], away, /^System is one argument too many\.$/],
  ...['help', '--version', 'migrate', 'openapi', 'health', 'redact', 'serve'].map(
    (name): Case => [[name, 'x'], {}, /^x is one argument too many\.$/],
  ),
]

const mistakesOn: Record<Runtime, Case[]> = {
  Bun: mistakesOfEachKind.slice(0, 1),
  // A command that is none is tried on each runtime in test/blackbox.
  Deno: mistakesOfEachKind.slice(1),
  'the binary': [...mistakesOfEachKind, ...otherMistakes],
}

const helpOn: Record<Runtime, string[]> = {
  Bun: ['--version'],
  Deno: ['-v'],
  'the binary': [
    ...['help', '--help', '-h', 'keys --help', 'hooks test -h', 'serve --help'],
    ...['--version', '-v'],
  ],
}

const runtimes = (['Bun', 'Deno', 'the binary'] as const).filter(one => missing(one) === undefined)

describe.each(runtimes)('on %s', runtime => {
  test('a command explains a mistake in a sentence and fails', async () => {
    for (const [args, env, message] of mistakesOn[runtime]) {
      const { code, said, out } = await run(runtime, args, env)
      expect([args, code, out]).toEqual([args, 2, ''])
      expect(said).toMatch(message)
      expect(said).not.toContain('    at ')
    }
  }, 60_000)

  test('help and version are told whatever the configuration', async () => {
    for (const line of helpOn[runtime]) {
      const { code, out } = await run(runtime, line.split(' '), { PORT: 'x' })
      const text = line.includes('-v') ? /^\d+\.\d+\.\d+$/ : /^Usage: /
      expect([line, code, out]).toEqual([line, 0, expect.stringMatching(text)])
    }
  }, 20_000)
})

describe.each(runtimes.filter(one => one !== 'Bun'))('on %s', runtime => {
  test('a command that cannot reach the database names the setting; one whose reader has gone is quiet', async () => {
    const url = 'postgres://u:geheim@127.0.0.1:1/x'
    const { code, said } = await run(runtime, ['keys', 'list'], { DATABASE_URL: url })
    expect(code).toBe(1)
    expect(said).toMatch(/^DATABASE_URL: no database answers at 127\.0\.0\.1:1 \(.+\)\.$/)
    const command = [...(await commandLine(runtime)), 'openapi']
    const cut = Bun.spawnSync(['sh', '-c', '"$@" | head -c 1', 'sh', ...command])
    expect([cut.stdout.toString(), cut.stderr.toString()]).toEqual(['{', ''])
  }, 20_000)

  test('config masks the password, openapi prints the document', async () => {
    const DATABASE_URL = 'postgres://u:geheim@127.0.0.1/x'
    const config = await run(runtime, ['config'], { DATABASE_URL })
    expect(config.out).toContain('DATABASE_URL=postgres://u:***@127.0.0.1/x  # environment')
    expect(config.out).not.toContain('geheim')
    expect(JSON.parse((await run(runtime, ['openapi'], {})).out).openapi).toBe('3.1.0')
  })
})
