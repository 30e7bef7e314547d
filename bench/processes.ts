// Starts what is measured, each in a process of its own, and waits until it answers.
import { closeSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { until } from '../test/support/until.ts'
import type { BenchDatabase } from './databases.ts'

const root = join(import.meta.dir, '..')
export const benchDir = join(root, '.data/bench')

export type Running = { port: number; pids: number[]; stop(): Promise<void> }

// As long as the service itself may take.
const stopMaxMs = 15_000

type Start = {
  command: string[]
  path: string
  env: Record<string, string>
  output: string
  readyMs?: number
}

export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

const answers = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

/** Starts a command that listens on PORT; resolves when `path` answers 200. */
export async function start({
  command,
  path,
  env,
  output,
  readyMs = 10_000,
}: Start): Promise<Running> {
  const port = await freePort()
  const file = openSync(join(benchDir, output), 'w')
  const child = Bun.spawn(command, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), ...env },
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  const stop = async () => {
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), stopMaxMs)
    await child.exited
    clearTimeout(late)
  }
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended: see ${output}`)
      return await answers(`http://127.0.0.1:${port}${path}`)
    }, readyMs)
  } catch (error) {
    await stop()
    throw error
  }
  return { port, pids: [child.pid], stop }
}

/** Several as one; none is left when one of them does not start. */
export async function startAll(starts: (() => Promise<Running>)[]): Promise<Running> {
  const started: Running[] = []
  const stop = async () => {
    await Promise.all(started.map(one => one.stop()))
  }
  try {
    for (const one of starts) started.push(await one())
  } catch (error) {
    await stop()
    throw error
  }
  return { port: started[0]?.port ?? 0, pids: started.flatMap(({ pids }) => pids), stop }
}

const { start: startScript } = (await Bun.file(join(root, 'package.json')).json()).scripts

/** What the script `start` puts into the environment: how far the heap may grow. */
export const startEnv: Record<string, string> = Object.fromEntries(
  [...startScript.matchAll(/(?<= )(\w+)=(\w+)(?= )/g)].map(([, name, value]) => [name, value]),
)

/** The service as a user starts it: every setting at its default, its log in a file. */
export const startServiceProcess = (
  { url }: BenchDatabase,
  env: Record<string, string> = {},
  command = [process.execPath, 'src/main.ts'],
): Promise<Running> =>
  start({
    command,
    path: '/readyz',
    env: { ...startEnv, DATABASE_URL: url, ...env },
    output: 'service.log',
  })

export const startBare = (bodyBytes: number): Promise<Running> =>
  start({
    command: [process.execPath, 'bench/load/bare.ts', String(bodyBytes)],
    path: '/',
    env: {},
    output: 'bare.log',
  })
