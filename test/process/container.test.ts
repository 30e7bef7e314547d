// The container image, without an engine to build it: its instructions are held against the tree, its build steps run on what
// would be copied, and the binary runs in a root directory that holds what the image does, as its user.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort, startEnv } from '../../bench/processes.ts'
import { readConfig } from '../../src/config/settings.ts'
import { read, root } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { commandLine } from '../support/process/program.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

const database = useDatabase()
const dir = makeDataDir('container')
afterAll(() => removeDataDir(dir))

/** The instructions of the two stages, `WORD rest`. */
const [build = [], image = []] = read('Dockerfile')
  .split(/^(?=FROM )/m)
  .slice(1)
  .map(stage => stage.split('\n').filter(line => /^[A-Z]/.test(line)))
const all = (stage: string[], word: string) =>
  stage.filter(line => line.startsWith(`${word} `)).map(line => line.slice(word.length + 1))
const only = (word: string): string => {
  const found = all(image, word)
  expect([word, found.length]).toEqual([word, 1])
  return found[0] ?? ''
}
const pairs = all(image, 'ENV').flatMap(rest => rest.split(' ').map(pair => pair.split('=')))
const imageEnv: Record<string, string> = Object.fromEntries(pairs)
const program = '/usr/local/bin/workspace-data-api'

test('the image runs the one binary, from pinned stages, as no user of rights, and asks it how it is', () => {
  expect(all(build, 'FROM')).toEqual([`oven/bun:${Bun.version}-slim AS build`])
  expect(only('FROM')).toMatch(/^gcr\.io\/distroless\/[\w-]+-debian12:nonroot$/)
  expect(all(image, 'RUN')).toEqual([])
  expect(all(image, 'COPY')).toEqual([`--from=build /build/dist/workspace-data-api ${program}`])
  expect(only('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect([JSON.parse(only('ENTRYPOINT')), JSON.parse(only('CMD'))]).toEqual([[program], ['serve']])
  const [, asked = ''] = /--start-period=.* CMD (\[.*\])$/.exec(only('HEALTHCHECK')) ?? []
  expect(JSON.parse(asked)).toEqual([program, 'health'])
  expect(only('EXPOSE')).toBe(imageEnv.PORT ?? '')
  // The heap may grow as far as with `bun run start`, and the documentation says how far.
  expect(imageEnv).toMatchObject(startEnv)
  const [[name, value] = []] = Object.entries(startEnv)
  expect(read('docs/operations/sizing.md')).toContain(`${name}=${value}`)
  expect(() => readConfig(imageEnv)).not.toThrow()
  expect(Object.keys(imageEnv).filter(one => /SECRET|PASSWORD|URL/.test(one))).toEqual([])
})

test('what the build stage copies is enough to build, and nothing else is sent to it', async () => {
  const [first, ...allowed] = read('.dockerignore').trim().split('\n')
  expect(first).toBe('*')
  const copied = all(build, 'COPY').flatMap(rest => {
    const names = rest.split(' ')
    const target = names.pop() ?? ''
    for (const name of names)
      cpSync(join(root, name), join(dir, target === './' ? name : target), { recursive: true })
    return names
  })
  expect(copied.toSorted()).toEqual(allowed.map(line => line.replace(/^!/, '')).toSorted())
  // In place of `bun install`, which would ask the registry.
  expect(all(build, 'RUN').at(-1)).toBe('bun run build')
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  // The same build without the program around it, which every other test has.
  const args = ['build', '--target=bun', '--outdir=dist', 'src/main.ts', 'workers/worker.ts']
  const built = Bun.spawn([process.execPath, ...args], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  expect(await built.exited).toBe(0)
  expect(existsSync(join(dir, 'dist/src/main.js'))).toBe(true)
})

test('the binary takes nothing from the directory it is started in', async () => {
  const cwd = join(dir, 'started')
  mkdirSync(cwd)
  writeFileSync(join(cwd, '.env'), 'LOG_LEVEL=loud\n')
  writeFileSync(join(cwd, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
  writeFileSync(join(cwd, 'preload.ts'), 'process.exit(7)\n')
  const [binary = ''] = await commandLine('the binary')
  const { exitCode, stdout } = Bun.spawnSync([binary, 'config'], { cwd, env: {} })
  expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining('LOG_LEVEL=info')])
})

/** A root directory with the binary, its libraries, and a place for /proc, which every engine mounts. */
async function makeRoot(): Promise<string> {
  const made = join(dir, 'root')
  const [binary = ''] = await commandLine('the binary')
  const listed = Bun.spawnSync(['ldd', binary]).stdout.toString()
  const libraries = [...listed.matchAll(/(\/\S+) \(/g)].map(([, file = '']) => [file, file])
  for (const [from = '', to = ''] of [[binary, program], ...libraries]) {
    mkdirSync(dirname(join(made, to)), { recursive: true })
    cpSync(from, join(made, to), { dereference: true })
  }
  mkdirSync(join(made, 'proc'))
  return made
}

const enter = `mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount -o remount,ro,bind "$1" \
  && user=$2 && dir=$1 && shift 2 && exec chroot --userspec="$user" "$dir" "$@"`

/** Whether this machine can give a process a root directory of its own. */
const canMount =
  process.getuid?.() === 0 &&
  Bun.spawnSync(['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt']).exitCode === 0

test.skipIf(!canMount)(
  'in a read-only root with its libraries alone the binary serves and stops',
  async () => {
    const made = await makeRoot()
    const PORT = String(await freePort())
    const common = { HOST: '127.0.0.1', PORT, SECRETS_KEY: 'ab'.repeat(32) }
    const start = (args: string[], env: Record<string, string>) =>
      Bun.spawn(
        ['unshare', '--mount', 'sh', '-c', enter, 'sh', made, only('USER'), program, ...args],
        {
          cwd: '/',
          env: { PATH: process.env.PATH ?? '', ...imageEnv, ...common, ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      )
    const ask = async (args: string[], DATABASE_URL = database.url) => {
      const child = start(args, { DATABASE_URL })
      const [out, said] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return { code: await child.exited, out: out.trim(), said: said.trim() }
    }
    const none = await ask(['serve'], '')
    expect([none.code, none.said]).toEqual([1, expect.stringMatching(/set DATABASE_URL\b.*\.$/)])
    expect((await ask(['health'])).said).toBe(`Nothing answers at http://127.0.0.1:${PORT}/readyz.`)
    const { out: key } = await ask(['keys', 'create', '--label', 'CRM'])
    const serving = start(JSON.parse(only('CMD')), { DATABASE_URL: database.url })
    await until(async () => (await ask(['health'])).out === 'ready', 20_000)
    const url = `http://127.0.0.1:${PORT}`
    expect((await sendTo(`${url}/api/v1`, '/leads', bearer(key))).status).toBe(200)
    expect((await fetch(`${url}/docs`)).status).toBe(200)
    serving.kill('SIGTERM')
    expect(await serving.exited).toBe(0)
    expect(await new Response(serving.stdout).text()).not.toContain('"level":"error"')
  },
)
