// The container image, without an engine to build it: its instructions are held against the tree, its build steps
// run on what would be copied, and the binary runs in a root directory that holds what the image does, as its user.
import { afterAll, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freePort, startEnv } from '../../bench/processes.ts'
import { readConfig, settings } from '../../src/config/settings.ts'
import { read, root } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useDatabase } from '../support/database/database.ts'
import { bearer, sendTo } from '../support/http/service.ts'
import { commandLine } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
const dirs: string[] = []
const makeDir = () => {
  const dir = makeDataDir('container')
  dirs.push(dir)
  return dir
}
afterAll(() => {
  for (const dir of dirs) removeDataDir(dir)
})

type Instruction = { word: string; rest: string }

const stages = read('Dockerfile')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => /^([A-Z]+) (.+)$/.exec(line))
  .reduce<Instruction[][]>((found, match) => {
    const [, word = '', rest = ''] = match ?? []
    if (word === 'FROM') found.push([])
    found.at(-1)?.push({ word, rest })
    return found
  }, [])
const [build = [], image = []] = stages
const all = (stage: Instruction[], word: string) =>
  stage.filter(one => one.word === word).map(({ rest }) => rest)
const only = (word: string): string => {
  const [rest = '', ...more] = all(image, word)
  if (more.length > 0) throw new Error(`${word} stands twice`)
  return rest
}
const imageEnv = Object.fromEntries(
  all(image, 'ENV').flatMap(rest =>
    rest.split(' ').map(pair => pair.split('=') as [string, string]),
  ),
)
const program = '/usr/local/bin/workspace-data-api'

test('two stages from pinned images, the first with the Bun that tests ran on', () => {
  expect(stages).toHaveLength(2)
  expect(all(build, 'FROM')).toEqual([`oven/bun:${Bun.version}-slim AS build`])
  expect(only('FROM')).toMatch(/^gcr\.io\/distroless\/[\w-]+-debian12:nonroot$/)
  const words = new Set(stages.flat().map(({ word }) => word))
  const known = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'EXPOSE', 'USER', 'HEALTHCHECK']
  expect([...words.difference(new Set([...known, 'ENTRYPOINT', 'CMD']))]).toEqual([])
  // The last stage has no shell that could run anything.
  expect(all(image, 'RUN')).toEqual([])
})

test('the image runs the one binary, as nobody, and asks it how it is', () => {
  expect(all(image, 'COPY')).toEqual([`--from=build /build/dist/workspace-data-api ${program}`])
  expect(only('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/)
  expect(JSON.parse(only('ENTRYPOINT'))).toEqual([program])
  expect(JSON.parse(only('CMD'))).toEqual(['serve'])
  const [, options = '', asked = ''] = /^(--.*) CMD (\[.*\])$/.exec(only('HEALTHCHECK')) ?? []
  expect(JSON.parse(asked)).toEqual([program, 'health'])
  expect(options).toContain('--start-period=')
  expect(only('EXPOSE')).toBe(imageEnv.PORT ?? '')
  const own = Object.entries(imageEnv).filter(([name]) => !(name in startEnv))
  for (const [name, value] of own) {
    const setting = settings[name as keyof typeof settings]
    expect([name, setting && 'secret' in setting]).toEqual([name, false])
    expect(() => readConfig({ [name]: value })).not.toThrow()
  }
})

test('in the image the heap may grow as far as with `bun run start`, and the documentation says how far', () => {
  expect(Object.keys(startEnv)).toHaveLength(1)
  expect(imageEnv).toMatchObject(startEnv)
  const [[name, value] = []] = Object.entries(startEnv)
  expect(read('docs/operations/sizing.md')).toContain(`${name}=${value}`)
})

test('what the build stage copies is enough to build, and nothing else is sent to it', async () => {
  const [first, ...allowed] = read('.dockerignore').trim().split('\n')
  expect(first).toBe('*')
  const sent = allowed.map(line => line.replace(/^!/, ''))
  const dir = makeDir()
  const copied = all(build, 'COPY').flatMap(rest => {
    const names = rest.split(' ')
    const target = names.pop() ?? ''
    for (const name of names) {
      const to = target === './' ? name : target
      cpSync(join(root, name), join(dir, to), { recursive: true })
    }
    return names
  })
  expect(copied.toSorted()).toEqual(sent.toSorted())
  // In place of `bun install`, which would ask the registry.
  expect(all(build, 'RUN')).toEqual([
    'bun install --frozen-lockfile --production --ignore-scripts',
    'bun run build',
  ])
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  const built = Bun.spawn([process.execPath, 'run', 'build'], {
    cwd: dir,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await new Response(built.stderr).text()
  expect([await built.exited, said]).toEqual([0, expect.any(String)])
  expect(existsSync(join(dir, 'dist/workspace-data-api'))).toBe(true)
}, 60_000)

test('the binary takes nothing from the directory it is started in', async () => {
  const dir = makeDir()
  writeFileSync(join(dir, '.env'), 'LOG_LEVEL=loud\n')
  writeFileSync(join(dir, 'bunfig.toml'), 'preload = ["./preload.ts"]\n')
  writeFileSync(join(dir, 'preload.ts'), 'process.exit(7)\n')
  const [binary = ''] = await commandLine('the binary')
  const { exitCode, stdout } = Bun.spawnSync([binary, 'config'], { cwd: dir, env: {} })
  expect([exitCode, stdout.toString()]).toEqual([0, expect.stringContaining('LOG_LEVEL=info')])
})

/** The binary's libraries, as the base image has them. */
async function librariesOf(file: string): Promise<string[]> {
  const listed = await new Response(Bun.spawn(['ldd', file]).stdout).text()
  return [...listed.matchAll(/(\/\S+) \(/g)].map(match => match[1] ?? '')
}

/** A root directory with the binary, its libraries, and a place for /proc, which every engine mounts. */
async function makeRoot(): Promise<string> {
  const dir = makeDir()
  const [binary = ''] = await commandLine('the binary')
  for (const [from, to] of [
    [binary, program],
    ...(await librariesOf(binary)).map(file => [file, file]),
  ]) {
    mkdirSync(dirname(join(dir, to ?? '')), { recursive: true })
    cpSync(from ?? '', join(dir, to ?? ''), { dereference: true })
  }
  mkdirSync(join(dir, 'proc'))
  return dir
}

const enter = `mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount -o remount,ro,bind "$1" \
  && user=$2 && dir=$1 && shift 2 && exec chroot --userspec="$user" "$dir" "$@"`

/** Runs the binary below a read-only root directory; the mounts end with it. */
const runBelow = (dir: string, args: string[], env: Record<string, string>) =>
  Bun.spawn(['unshare', '--mount', 'sh', '-c', enter, 'sh', dir, only('USER'), program, ...args], {
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', ...imageEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Why this machine cannot give a process a root directory of its own; nothing where it can. */
function notReadyReason(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux has chroot and mount namespaces'
  if (process.getuid?.() !== 0) return 'only root may chroot'
  const tried = Bun.spawnSync(['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /mnt'])
  return tried.exitCode === 0 ? undefined : 'this machine lets no account mount'
}

const left = notReadyReason()

test.skipIf(left !== undefined)(
  `in a read-only root with its libraries alone the binary serves and stops${left ? `: left out, because ${left}` : ''}`,
  async () => {
    const dir = await makeRoot()
    expect(readdirSync(dir).toSorted()).toEqual(expect.arrayContaining(['lib64', 'proc', 'usr']))
    const PORT = String(await freePort())
    // The tests listen on the loopback alone.
    const env = {
      DATABASE_URL: database.url,
      HOST: '127.0.0.1',
      PORT,
      SECRETS_KEY: 'ab'.repeat(32),
    }
    const ask = async (...args: string[]) => {
      const child = runBelow(dir, args, env)
      const [out, said] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      return { code: await child.exited, out: out.trim(), said: said.trim() }
    }
    expect(await ask('health')).toEqual({
      code: 1,
      out: '',
      said: `Nothing answers at http://127.0.0.1:${PORT}/readyz.`,
    })
    const key = (await ask('keys', 'create', '--label', 'CRM')).out
    const serving = runBelow(dir, JSON.parse(only('CMD')), env)
    await until(async () => (await ask('health')).code === 0, 20_000)
    expect((await ask('health')).out).toBe('ready')
    const url = `http://127.0.0.1:${PORT}`
    expect((await sendTo(`${url}/api/v1`, '/leads', bearer(key))).status).toBe(200)
    expect((await fetch(`${url}/docs`)).status).toBe(200)
    serving.kill('SIGTERM')
    expect(await serving.exited).toBe(0)
    expect(await new Response(serving.stdout).text()).not.toContain('"level":"error"')
  },
  60_000,
)

test.skipIf(left !== undefined)(
  `without DATABASE_URL it says what to set${left ? `: left out, because ${left}` : ''}`,
  async () => {
    const child = runBelow(await makeRoot(), ['serve'], { HOST: '127.0.0.1' })
    const said = await new Response(child.stderr).text()
    expect(await child.exited).toBe(1)
    expect(said).toMatch(/set DATABASE_URL\b.*\.\n$/)
  },
  30_000,
)
