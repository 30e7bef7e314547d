// The program as it is run: the sources on Bun, the sources on Deno, the binary. Its commands, and its service.
import { afterAll } from 'bun:test'
import { accessSync, constants, existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { makeDataDir, removeDataDir } from '../database/data_dir.ts'
import { until } from '../until.ts'

export const runtimes = ['Bun', 'Deno', 'the binary'] as const
export type Runtime = (typeof runtimes)[number]

const root = join(import.meta.dir, '../../..')
const main = join(root, 'src/main.ts')
const modules = join(root, 'node_modules')

/** The program of the package `deno`, whose postinstall script would only copy it. */
function denoFile(): string | undefined {
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('deno/package.json')
    const folder = dirname(createRequire(wrapper).resolve(`@deno/${platform}/package.json`))
    return [join(folder, 'deno'), join(folder, 'deno.exe')].find(existsSync)
  } catch {
    return undefined
  }
}

const deno = denoFile()

/** Why a runtime cannot be tried on this machine; a test that leaves it out says so in its name. */
export const missing = (runtime: Runtime): string | undefined =>
  runtime === 'Deno' && deno === undefined
    ? `the package deno brings no program for ${process.platform}-${process.arch}`
    : undefined

let built: Promise<string> | undefined
let builtIn: string | undefined

// Not where it is built: what is registered while a test runs happens after that test. The bench and processes that a
// test starts are no test runs, have no such hook, and build none.
try {
  afterAll(() => {
    if (builtIn !== undefined) removeDataDir(builtIn)
  })
} catch {}

/** The binary of this test run; a file that is tested alone makes its own. */
function binary(): Promise<string> {
  if (process.env.TEST_BINARY) return Promise.resolve(process.env.TEST_BINARY)
  if (built === undefined) {
    builtIn = makeDataDir('binary')
    built = buildBinary(builtIn)
  }
  return built
}

export async function commandLine(runtime: Runtime): Promise<string[]> {
  if (runtime === 'Bun') return [process.execPath, main]
  return runtime === 'Deno' ? [deno ?? '', 'run', '-A', main] : [await binary()]
}

/** What Deno compiled once is kept next to the packages, not in the home directory of the account that runs the tests. */
function denoDir(): string {
  try {
    accessSync(modules, constants.W_OK)
    return join(modules, '.cache/deno')
  } catch {
    return join(tmpdir(), `deno-${userInfo().uid}`)
  }
}

export type Environment = Record<string, string>

const into = (file: string) => ['sh', '-c', 'exec "$@" > "$0"', file]

export async function spawn(
  runtime: Runtime,
  args: string[],
  env: Environment,
  stdoutFile?: string,
) {
  const shell = stdoutFile === undefined ? [] : into(stdoutFile)
  return Bun.spawn([...shell, ...(await commandLine(runtime)), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', DENO_DIR: denoDir(), DENO_NO_UPDATE_CHECK: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs a command to its end. */
export async function run(runtime: Runtime, args: string[], env: Environment) {
  const child = await spawn(runtime, args, env)
  const [out, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, out: out.trim(), said: said.trim() }
}

/** Starts the service on a free port; its log goes to `logFile` where there is one. */
export async function launch(runtime: Runtime, env: Environment, logFile?: string) {
  const child = await spawn(runtime, ['serve'], { PORT: '0', ...env }, logFile)
  let output = ''
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
  }
  const reading = Promise.all([read(child.stdout), read(child.stderr)])
  const exited = reading.then(() => child.exited)
  const address = () => /^ {2}API +(http:\S+)\/api\/v1$/m.exec(output)?.[1]
  return {
    pid: child.pid,
    /** Everything it wrote so far, log and sentences. */
    output: () => output,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    exited,
    /** Resolves with its address once it listens. */
    async listens() {
      await until(() => address() || child.exitCode !== null, 40_000)
      if (address() === undefined) await exited
      const url = address()
      if (url === undefined) throw new Error(`the service ended:\n${output}`)
      return url
    },
    /** SIGTERM, and its exit code. */
    stop(): Promise<number> {
      child.kill('SIGTERM')
      return exited
    },
  }
}

export type Launched = Awaited<ReturnType<typeof launch>>
export type ServingProgram = Launched & { url: string }

/** Starts the service on a free port; resolves when it listens. */
export async function startProgram(runtime: Runtime, env: Environment): Promise<ServingProgram> {
  const launched = await launch(runtime, env)
  return { ...launched, url: await launched.listens() }
}

/** Builds the binary as `bun run build` does, into a directory of the test's. */
export async function buildBinary(dir: string): Promise<string> {
  const file = join(dir, 'workspace-data-api')
  const build = Bun.spawn([process.execPath, 'run', 'build', `--outfile=${file}`], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await new Response(build.stderr).text()
  if ((await build.exited) !== 0) throw new Error(`the build failed:\n${said}`)
  return file
}

// Go for programs that are built once and run for a moment. Where nothing is compiled yet, as in CI, the standard library comes
// first: without optimizing, C, debugging information and the compiler's own garbage collection it is half the work.
export const goEnvironment = {
  ...(process.env as Record<string, string>),
  GOTOOLCHAIN: 'local',
  // Nothing is fetched: the standard library is all that is needed.
  GOPROXY: 'off',
  GOWORK: 'off',
  GOGC: 'off',
  CGO_ENABLED: '0',
  GOFLAGS: `'-gcflags=all=-N -l -dwarf=false' '-ldflags=-s -w'`,
}
