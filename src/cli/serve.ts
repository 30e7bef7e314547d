// serve: the service itself, until it is asked to stop.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { basePath } from '../api/rest/routes.ts'
import { migrateToServe, type RunningService, startService } from '../api/start.ts'
import type { Config } from '../config/settings.ts'
import { whenDatabaseAnswers } from '../db/wait.ts'
import { withTimeout } from '../lib/timeout.ts'
import { type Log, openLog } from '../observability/log.ts'
import type { Counted } from '../observability/metrics/count.ts'
import { startWorkerThread, type WorkerThread } from '../runtime/worker_thread.ts'
import type { Command } from './command.ts'
import { type OpenDatabase, openServiceDatabase, stopSignals } from './database.ts'
import { demoKeyFile, keepPassword, prepareDemo, preparePassword } from './first_start.ts'
import { progress } from './output.ts'

// With what the embedded server needs, all is over within 15 s of SIGTERM.
const stopTimeoutMs = 12_000
// Ctrl-C reaches every process of a terminal, and npm sends it on to those that it started.
const doubledMs = 500
// All has ended, and the last line is written.
const exitMs = 250
// What the embedded server gets to end when there is no time left.
const hurryMs = 2_500

function greet(
  config: Config,
  service: RunningService,
  embedded: boolean,
  password: string | undefined,
) {
  progress(`
Workspace Data API
  API          ${service.url}${basePath}
  description  ${service.url}${basePath}/openapi.json
  reader       ${service.url}/docs`)
  if (embedded || config.DASHBOARD_PASSWORD) progress(`  dashboard    ${service.url}/dashboard`)
  if (password !== undefined) progress(`  password     ${password}   (shown this once)`)
  if (!embedded) return
  const key = readFileSync(demoKeyFile(config), 'utf8')
  progress(`  demo key     ${key}

  curl -H "Authorization: Bearer ${key}" "${service.url}${basePath}/leads?limit=2"
`)
}

/** Resolves at the first signal to stop; a later one calls `hurry`. */
function stopSignal(hurry: () => void): Promise<string> {
  return new Promise(resolve => {
    let askedAt: number | undefined
    for (const signal of stopSignals())
      process.on(signal, () => {
        askedAt ??= performance.now()
        if (performance.now() - askedAt > doubledMs) hurry()
        resolve(signal)
      })
  })
}

type Run = {
  config: Config
  database: OpenDatabase
  log: Log
  /** Undefined where METRICS_PORT is not set, or nothing is served. */
  requests: Counted | undefined
  stopped: Promise<string>
}

type Part = { retire?(): void; stop(): Promise<void> }

/** The API, with its worker where this process has one. Returns the port. */
async function startApi(
  { config, database, log, requests }: Run,
  worker: WorkerThread | undefined,
) {
  const { url, embedded } = database
  const ownMade = embedded && !config.DASHBOARD_PASSWORD
  const password = ownMade ? await preparePassword(config) : undefined
  const service = await startService(config, url, log, {
    passwordHash: password?.hash,
    watch: requests?.watchDatabase,
    notReadyReason() {
      const state = worker?.state() ?? 'working'
      return state === 'working' ? undefined : `the worker is ${state}`
    },
  })
  if (password?.made !== undefined) keepPassword(config, password.hash)
  greet(config, service, embedded, password?.made)
  return service
}

// prom-client takes a tenth of a second to load.
const loadCounts = () => import('../observability/metrics/count.ts')

/** Serves metrics on a port of their own. */
async function startMetrics(
  { config, database, log, requests }: Run,
  worker: WorkerThread | undefined,
) {
  const { METRICS_PORT: port, HOST: host, SQL_DIR: sqlDir } = config
  if (port === undefined) return undefined
  const { countProcess } = await loadCounts()
  const { serveMetrics } = await import('../observability/metrics/scrape.ts')
  const own = countProcess(log, worker && (() => worker.state() === 'working'))
  const registries = requests ? [requests.registry, own] : [own]
  const numbers = async () => [
    ...(await Promise.all(registries.map(registry => registry.getMetricsAsJSON()))),
    worker?.numbers() ?? [],
  ]
  return serveMetrics({ host, port, url: database.url, sqlDir, numbers })
}

/** Starts what this process does, the worker first, and puts each part into `parts` as soon as it runs. */
async function startParts(run: Run, parts: Part[]) {
  const { config, log } = run
  const { ROLES: roles } = config
  let worker: WorkerThread | undefined
  if (roles.includes('worker')) {
    const onLost = (reason: string) => log.event('worker_lost', { reason })
    worker = await startWorkerThread({ config, url: run.database.url, onLost })
    parts.push(worker)
  }
  const scraped = await startMetrics(run, worker)
  if (scraped) parts.push(scraped)
  const service = roles.includes('api') ? await startApi(run, worker) : undefined
  if (service) parts.push(service)
  log.event('started', { roles, port: service?.port, metrics_port: scraped?.port })
}

/** One try of a start. One that fails ends what it had started, so that another can follow. */
async function start(run: Run, parts: Part[]): Promise<void> {
  const { config, database, stopped } = run
  await prepareDatabase(config, database.url)
  if (database.embedded && !(await prepareDemo(config, database.url, stopped))) return
  try {
    await startParts(run, parts)
  } catch (error) {
    // The operator needs the first reason, not what the stop then failed with.
    await stopAll(parts.splice(0)).catch(() => {})
    throw error
  }
}

/** Serves until it is asked to stop. Throws when an embedded server is lost on the way. */
async function serveUntilStopped(run: Run, parts: Part[]): Promise<void> {
  const { config, database, log, stopped } = run
  const lost = database.lost.then(sentence => {
    throw new Error(sentence)
  })
  log.event('stopping', { signal: await Promise.race([stopped, lost]) })
  for (const part of parts) part.retire?.()
  // Nothing serves on where the start was stopped.
  if (parts.length > 0) await pause(config.STOP_DELAY_MS)
}

/** Brings the schema up to date. Throws when the login lacks rights, or a worker's database takes no writes. */
async function prepareDatabase(config: Config, url: string): Promise<void> {
  const { ROLES: roles, DASHBOARD_PASSWORD: password } = config
  const hasDashboard = roles.includes('api') && password !== undefined
  await migrateToServe(url, hasDashboard ? [...roles, 'dashboard'] : roles)
}

/** Side by side: requests in flight and attempts in flight both get their time. Throws when one did not end in order. */
async function stopAll(parts: readonly Part[]): Promise<void> {
  const ends = await Promise.allSettled(parts.map(part => part.stop()))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

async function startAndServe(run: Run): Promise<void> {
  const { config, database, log, stopped } = run
  // An embedded server that has ended does not come back.
  const over = Promise.race([stopped, database.lost])
  const waiting = {
    patienceMs: config.DATABASE_WAIT_MS,
    stopped: over,
    onAway: (reason: string, retry_ms: number) => log.event('database_away', { reason, retry_ms }),
  }
  const parts: Part[] = []
  await whenDatabaseAnswers(database.url, () => start(run, parts), waiting)
  try {
    await serveUntilStopped(run, parts)
  } catch (error) {
    await stopAll(parts).catch(() => {})
    throw error
  }
  await stopAll(parts)
}

async function serveConfig(config: Config): Promise<void> {
  const log = openLog(config.LOG_LEVEL)
  const isCounted = config.METRICS_PORT !== undefined && config.ROLES.includes('api')
  const requests = isCounted ? (await loadCounts()).countRequests(log) : undefined
  let opening: Promise<OpenDatabase> | undefined
  /** Ends now, but not without the embedded server: no other process would stop it. */
  const hurry = () => {
    const closed = withTimeout(Promise.resolve(opening?.then(opened => opened.close())), hurryMs)
    void Promise.allSettled([log.flush(), closed]).finally(() => process.exit(1))
  }
  const stopped = stopSignal(hurry)
  const giveUp = () => {
    progress(
      `Not all has ended within ${stopTimeoutMs / 1_000} s of the stop; what is left is cut off.`,
    )
    hurry()
  }
  void stopped.then(() => setTimeout(giveUp, config.STOP_DELAY_MS + stopTimeoutMs).unref())
  opening = openServiceDatabase(config)
  const database = await opening
  await startAndServe({ config, database, log, requests, stopped })
    .finally(() => database.close())
    .then(() => log.event('stopped', {}))
    .finally(() => log.flush())
    // A server that does not answer leaves sockets half closed, which would keep the process.
    .finally(() => setTimeout(() => process.exit(), exitMs).unref())
}

export const serve: Command = {
  line: 'serve',
  does: 'serves the API and runs the worker; the default',
  run: (_given, config) => serveConfig(config),
}
