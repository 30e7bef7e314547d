// The command line: mistakes, help, settings and a reader that has gone, without a database.
import { describe, expect, test } from 'bun:test'
import { type Command, lineParts } from '../../src/cli/command.ts'
import { commands } from '../../src/cli/commands.ts'
import { commandLine, missing, type Runtime, run } from '../support/process/program.ts'
import { runHere } from './commands.ts'

type Case = [args: string[], env: Record<string, string>, message: RegExp]

// A mistake in the command line is one whether there is a database or not.
const away = { DATABASE_URL: 'postgres://u@127.0.0.1:1/x' }

/** What a runtime can change is how arguments are read and how a process ends: a few of each kind show it. */
const mistakesOfEachKind: Case[] = [
  [['serv'], {}, /^There is no command serv\./],
  [
    ['keys', 'create', '--lable', 'x'],
    away,
    /^Unknown option '--lable'\.\nUsage: keys create --label L /,
  ],
  [['config', 'x'], {}, /^x is one argument too many\.\nUsage: config$/],
  [['config'], { PORT: '99999', LOG_LEVEL: 'loud' }, /^PORT must be .*\nLOG_LEVEL must be .*$/],
]

const otherMistakes: Case[] = [
  [['keys'], away, /^There is no command keys\.\n\nUsage: (.*\n)+ {2}keys create --label L /],
  [['keys', 'create'], away, /^--label is missing\.\nUsage: keys create /],
  [['keys', 'create', '--label'], away, /^Option '--label <value>' argument missing\.\nUsage: /],
  [
    ['keys', 'create', '--label', '--scopes', 'x'],
    away,
    /^Option '--label' argument is ambiguous\./,
  ],
  [['keys', 'create', '--label', ' '], away, /^--label takes 1 to 200 printable characters\.$/],
  [
    ['keys', 'create', '--label', 'x', '--scopes', 'read:all'],
    away,
    /^There is no scope read:all\./,
  ],
  [
    ['keys', 'create', '--label', 'x', '--scopes', ''],
    away,
    /^Give at least one scope: read:leads, /,
  ],
  [
    ['keys', 'create', '--label', 'x', '--expires', '40'],
    away,
    /^--expires takes a moment, such as /,
  ],
  [
    ['keys', 'create', '--label', 'x', '--expires', '2020-01-01T00:00:00Z'],
    away,
    /^--expires takes a moment to come/,
  ],
  [['keys', 'create', '--label', 'CRM', 'System'], away, /^System is one argument too many\./],
  [['keys', 'revoke'], away, /^KEY is missing\.\nUsage: keys revoke KEY$/],
  [['serve', '--port', '80'], {}, /^Unknown option '--port'\.\nUsage: serve$/],
  [['redact', '--restart=yes'], away, /^Option '--restart' does not take an argument\./],
  [['roles', '--prefix', '1abc'], away, /^--prefix takes 1 to 40 lower-case letters, /],
  [['demo', '--leads', '1.5'], away, /^--leads takes a whole number from 1 to 1000000\.$/],
  [['erase', 'x'], away, /^erase asks before it erases: /],
  [['health'], { PORT: '0' }, /^health needs the PORT that the service listens on\.$/],
  ...['help', 'migrate', 'openapi', 'health', 'redact', 'serve'].map(
    (name): Case => [[name, 'x'], {}, /^x is one argument too many\./],
  ),
]

test('every other mistake is explained alike', async () => {
  for (const [args, env, message] of otherMistakes) {
    const { code, out, said } = await runHere(args, env)
    expect([args, code, out, said]).toEqual([args, 2, '', expect.stringMatching(message)])
  }
})

test('every command has its place in the table, and its line reads as it is written', () => {
  const lines = commands.map(({ line }) => line)
  expect(new Set(lines.map(line => line.split(/ [^a-z]/)[0])).size).toBe(lines.length)
  const find = (start: string) => commands.find(({ line }) => line.startsWith(start)) as Command
  expect(lineParts(find('keys create'))).toEqual({
    words: ['keys', 'create'],
    places: [],
    options: [
      { name: 'label', type: 'string', required: true },
      { name: 'scopes', type: 'string', required: false },
      { name: 'expires', type: 'string', required: false },
    ],
  })
  expect(lineParts(find('hooks redeliver'))).toEqual({
    words: ['hooks', 'redeliver'],
    places: ['ID'],
    options: [
      { name: 'failed', type: 'boolean', required: false },
      { name: 'cursor', type: 'string', required: false },
    ],
  })
})

const mistakesOn: Record<Runtime, Case[]> = {
  Bun: mistakesOfEachKind.slice(0, 1),
  // A command that is none is tried on each runtime in test/blackbox.
  Deno: mistakesOfEachKind.slice(1),
  'the binary': mistakesOfEachKind,
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
