// serve: the service itself, until it is asked to stop.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type RunningService, startService } from '../api/start.ts'
import { type Config, dataFile } from '../config/settings.ts'
import { withConnection } from '../db/connect.ts'
import { openDatabase } from '../db/database.ts'
import { queries } from '../db/queries.ts'
import { whenDatabaseAnswers } from '../db/wait.ts'
import { isEmpty, loadDemo } from '../demo/load.ts'
import { withTimeout } from '../lib/timeout.ts'
import { hashPassword, makePassword, readHash, writeHash } from '../model/password.ts'
import { scopes } from '../model/scope.ts'
import { type Log, openLog } from '../observability/log.ts'
import { basePath } from '../operations/contract.ts'
import { createApiKey } from '../operations/keys.ts'
import { startWorkerThread, type WorkerThread } from '../runtime/worker_thread.ts'
import { type Command, progress, progressOf } from './command.ts'
import { migrateToServe, type OpenDatabase, openServiceDatabase, stopSignals } from './database.ts'
import { demoLeads } from './maintenance.ts'

// A database that starts later, or a failover, is there by then.
const databaseWaitMs = 60_000
// With what the embedded server needs, all is over within 15 s of SIGTERM.
const stopTimeoutMs = 12_000
const lateMs = 2_500
// All has ended, and the last line is written.
const exitMs = 250

type Run = {
  config: Config
  database: OpenDatabase
  log: Log
  stopped: Promise<string>
}

type Part = { retire?(): void; stop(): Promise<void> }

/** Fills a fresh embedded database. Returns the demo key where it was made now; it stays in a file that only this user reads. */
const prepareDemo = (config: Config, url: string): Promise<string | undefined> =>
  withConnection({ url, applicationName: 'workspace-data-api demo' }, async sql => {
    if (await isEmpty(sql)) await loadDemo(sql, demoLeads, progressOf('demo data'))
    const file = dataFile(config, 'demo_key')
    if (existsSync(file)) return undefined
    const input = { label: 'Demo', scopes: [...scopes] }
    const { key } = await createApiKey(openDatabase(sql, queries), input)
    writeFileSync(file, key, { mode: 0o600 })
    return key
  })

/** The owner's password on the embedded server: made at the first start and shown then; its hash alone is kept. */
async function preparePassword(config: Config) {
  const file = dataFile(config, 'dashboard_password')
  if (existsSync(file)) return { hash: readHash(readFileSync(file, 'utf8').trim()) }
  const made = makePassword()
  const hash = await hashPassword(made)
  // Not before the service runs: a start that fails shows no password.
  const keep = () => writeFileSync(file, `${writeHash(hash)}\n`, { mode: 0o600 })
  return { hash, made, keep }
}

type Made = { password: string | undefined; key: string | undefined }

function greet({ config, database }: Run, { url }: RunningService, { password, key }: Made) {
  const hasDashboard = database.embedded || config.DASHBOARD_PASSWORD !== undefined
  const lines: [name: string, value: string | undefined | false][] = [
    ['API', `${url}${basePath}`],
    ['description', `${url}${basePath}/openapi.json`],
    ['reader', `${url}/docs`],
    ['dashboard', hasDashboard && `${url}/dashboard`],
    ['password', password && `${password}   (shown this once)`],
    ['demo key', key && `${key}   (kept in ${dataFile(config, 'demo_key')})`],
  ]
  progress('\nWorkspace Data API')
  for (const [name, value] of lines) if (value) progress(`  ${name.padEnd(11)}  ${value}`)
}

/** The API, with its worker where this process has one. */
async function startApi(run: Run, worker: WorkerThread | undefined, key: string | undefined) {
  const { config, database, log } = run
  const isOwn = database.embedded && config.DASHBOARD_PASSWORD === undefined
  const password = isOwn ? await preparePassword(config) : undefined
  const service = await startService(config, database.url, log, {
    passwordHash: password?.hash,
    notReadyReason() {
      const state = worker?.state() ?? 'working'
      return state === 'working' ? undefined : `the worker is ${state}`
    },
  })
  password?.keep?.()
  greet(run, service, { password: password?.made, key })
  return service
}

async function startMetrics({ config, database, log }: Run, worker: WorkerThread | undefined) {
  const { METRICS_PORT: port, HOST: host, SQL_DIR: sqlDir } = config
  if (port === undefined) return undefined
  // prom-client is slow to load.
  const { countProcess, countRequests } = await import('../observability/metrics/count.ts')
  const { serveMetrics } = await import('../observability/metrics/scrape.ts')
  const registries = [countProcess(log, worker && (() => worker.state() === 'working'))]
  if (config.ROLES.includes('api')) registries.push(countRequests(log))
  const numbers = async () => [
    ...(await Promise.all(registries.map(registry => registry.getMetricsAsJSON()))),
    worker?.numbers() ?? [],
  ]
  return serveMetrics({ host, port, url: database.url, sqlDir, numbers })
}

/** Side by side: requests in flight and attempts in flight both get their time. Throws when one did not end in order. */
async function stopAll(parts: Part[]): Promise<void> {
  const ends = await Promise.allSettled(parts.splice(0).map(part => part.stop()))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Starts what this process does, the worker first, and puts each part into `parts` as soon as it runs. */
async function startParts(run: Run, parts: Part[], key: string | undefined): Promise<void> {
  const { config, database, log } = run
  const { ROLES: roles } = config
  const add = <One extends Part | undefined>(part: One): One => {
    if (part) parts.push(part)
    return part
  }
  const onLost = (reason: string) => log.event('worker_lost', { reason })
  const worker = roles.includes('worker')
    ? add(await startWorkerThread({ config, url: database.url, onLost }))
    : undefined
  const scraped = add(await startMetrics(run, worker))
  const service = roles.includes('api') ? add(await startApi(run, worker, key)) : undefined
  log.event('started', { roles, port: service?.port, metrics_port: scraped?.port })
}

/** One try of a start. One that fails ends what it had started, so that another can follow. */
async function start(run: Run, parts: Part[]): Promise<void> {
  const { config, database } = run
  const { ROLES: roles, DASHBOARD_PASSWORD: password } = config
  const hasDashboard = roles.includes('api') && password !== undefined
  await migrateToServe(database.url, hasDashboard ? [...roles, 'dashboard'] : roles)
  const key = database.embedded ? await prepareDemo(config, database.url) : undefined
  try {
    await startParts(run, parts, key)
  } catch (error) {
    // The operator needs the first reason, not what the stop then failed with.
    await stopAll(parts).catch(() => {})
    throw error
  }
}

/** Serves until it is asked to stop. Throws when an embedded server is lost on the way. */
async function serveUntilStopped(run: Run): Promise<void> {
  const { config, database, log, stopped } = run
  const parts: Part[] = []
  await whenDatabaseAnswers(database.url, () => start(run, parts), {
    patienceMs: databaseWaitMs,
    // An embedded server that has ended does not come back.
    stopped: Promise.race([stopped, database.lost]),
    onAway: (reason, retry_ms) => log.event('database_away', { reason, retry_ms }),
  })
  const lost = database.lost.then(sentence => {
    throw new Error(sentence)
  })
  try {
    log.event('stopping', { signal: await Promise.race([stopped, lost]) })
    for (const part of parts) part.retire?.()
    // Nothing serves on where the start was stopped.
    if (parts.length > 0) await pause(config.STOP_DELAY_MS)
  } catch (error) {
    await stopAll(parts).catch(() => {})
    throw error
  }
  await stopAll(parts)
}

export const serve: Command = {
  line: 'serve',
  does: 'serves the API and runs the worker; the default',
  async run(_given, config) {
    const log = openLog(config.LOG_LEVEL)
    const stopped = new Promise<string>(resolve => {
      for (const signal of stopSignals()) process.on(signal, resolve)
    })
    const opening = openServiceDatabase(config)
    async function giveUp() {
      progress(
        `Not all has ended within ${stopTimeoutMs / 1_000} s of the stop; what is left is cut off.`,
      )
      // Not without the embedded server: no other process would stop it.
      const closed = opening.then(opened => withTimeout(opened.close(), lateMs))
      await Promise.allSettled([log.flush(), closed])
      process.exit(1)
    }
    void stopped.then(() => setTimeout(giveUp, config.STOP_DELAY_MS + stopTimeoutMs).unref())
    const database = await opening
    await serveUntilStopped({ config, database, log, stopped })
      .finally(() => database.close())
      .then(() => log.event('stopped', {}))
      .finally(() => log.flush())
      // A server that does not answer leaves sockets half closed, which would keep the process.
      .finally(() => setTimeout(() => process.exit(), exitMs).unref())
  },
}
