// bun dev: the service, started anew after every save. Its embedded PostgreSQL stays up between restarts, because this
// process owns it. Arguments: folders to watch besides those of the sources.
import { existsSync, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openServiceDatabase } from '../src/cli/database.ts'
import { dataFile, environment, readConfig } from '../src/config/settings.ts'
import { scopes } from '../src/model/scope.ts'

// It stands in public, so it is for a service that listens on this machine alone.
const password = 'development-only'
const loopback = ['127.0.0.1', '::1', 'localhost']
// 500 are enough for every page, and loaded in a second or two.
const demoLeads = process.env.DEMO_LEADS ?? '500'

// A service that is replaced gets this long to end, one that is stopped as long as SIGTERM promises.
const restartMs = 1_000
const stopMs = 15_000
const settleMs = 50

const root = join(import.meta.dir, '..')
const main = join(root, 'src/main.ts')
const sources = ['src', 'sql', 'workers'].map(folder => join(root, folder))
const watched = [...sources, ...process.argv.slice(2)]
const config = readConfig(environment())
const say = (text: string) => void process.stderr.write(`${text}\n`)

let child: Bun.Subprocess | undefined
let stopped = false
let wake = () => {}
// A terminal sends Ctrl-C and its own end to the child as well; twice would cut its stop short.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    stopped = true
    if (signal === 'SIGTERM' || !process.stdin.isTTY) child?.kill('SIGTERM')
    wake()
  })

/** Runs a command of the program, which finds the embedded server by its address file; returns what it prints. */
async function command(...args: string[]): Promise<string> {
  if (stopped) return ''
  const running = Bun.spawn([process.execPath, main, ...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child = running
  const printed = await new Response(running.stdout).text()
  if ((await running.exited) !== 0 && !stopped) throw new Error(`${args.join(' ')} failed`)
  return printed.trim()
}

/** As the first `bun start` does it: demo data, and a key that is kept. */
async function prepareDemo() {
  const file = dataFile(config, 'demo_key')
  if (existsSync(file)) return
  await command('demo', '--leads', demoLeads)
  const key = await command('keys', 'create', '--label', 'Demo', '--scopes', scopes.join(','))
  if (!stopped) writeFileSync(file, key, { mode: 0o600 })
}

/** Resolves at the next save. Editors write a file in several steps, so it waits for the last of them. */
function nextSave(): Promise<void> {
  return new Promise(resolve => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const saved = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        for (const one of watchers) one.close()
        resolve()
      }, settleMs)
    }
    const watchers = watched.map(folder => watch(folder, { recursive: true }, saved))
    wake = saved
  })
}

/** Starts the service anew after every save, until this process is asked to stop. */
async function serve(variables: Record<string, string>) {
  while (!stopped) {
    const saved = nextSave()
    const service = Bun.spawn([process.execPath, main], {
      env: { ...environment(), ...variables },
      stdio: ['inherit', 'inherit', 'inherit'],
    })
    child = service
    const ended = service.exited.then(code => {
      if (!stopped && code !== 0) say(`The service ended with code ${code}; waiting for a save.`)
    })
    await saved
    if (!stopped) service.kill('SIGTERM')
    const late = setTimeout(() => service.kill('SIGKILL'), stopped ? stopMs : restartMs)
    await ended
    clearTimeout(late)
  }
}

if (config.DATABASE_URL) {
  await serve({})
} else {
  const server = await openServiceDatabase(config)
  void server.lost.then(sentence => {
    say(sentence)
    process.exit(1)
  })
  try {
    await prepareDemo()
    const isOwn = !config.DASHBOARD_PASSWORD && loopback.includes(config.HOST)
    if (isOwn) say(`The dashboard's password is ${password}.`)
    await serve({
      DATABASE_URL: server.url,
      ...(isOwn && { DASHBOARD_PASSWORD: password }),
    })
  } finally {
    await server.close()
  }
}
