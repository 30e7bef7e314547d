// A running service on a database of its own, a client that checks every answer against the document, and a worker next to it.
import { afterAll, beforeAll } from 'bun:test'
import { ownerPassword } from '../../../src/api/open_dashboard.ts'
import { type RunningService, startService } from '../../../src/api/start.ts'
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import type { PasswordHash } from '../../../src/model/password.ts'
import { type Scope, scopes } from '../../../src/model/scope.ts'
import { type Log, openLog } from '../../../src/observability/log.ts'
import { createApiKey } from '../../../src/operations/keys.ts'
import { type RunningWorker, startWorker } from '../../../src/worker/start.ts'
import { type TestDatabase, useDatabase } from '../database/database.ts'
import { type Runtime, startProgram } from '../process/program.ts'
import { assertDocumented } from './document.ts'
import { secretsKey, testConfig } from './settings.ts'

export type TestReply = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  body: any
  text: string
}

export type TestService = TestDatabase & {
  service: RunningService
  base: string
  /** A key with every scope. */
  key: string
  makeKey(...named: Scope[]): Promise<string>
  /** Sends with the key of every scope, unless headers say otherwise. */
  send(path: string, init?: RequestInit): Promise<TestReply>
}

export const quietLog = (): Log => openLog('silent')

/** One request; the answer is held against the document. */
export async function sendTo(
  base: string,
  path: string,
  init: RequestInit = {},
): Promise<TestReply> {
  const url = base + path
  const response = await fetch(url, init)
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  const body = isJson ? JSON.parse(text) : undefined
  if (isJson) assertDocumented(init.method ?? 'GET', url, response, body)
  return { status: response.status, headers: response.headers, body, text }
}

export const bearer = (key: string): RequestInit => ({
  headers: { authorization: `Bearer ${key}` },
})

/** What Deno's HTTP server refuses before we see it, or does after we answered, is left out there (docs/operations/running.md). */
export const onDeno = process.env.TEST_RUNTIME === 'Deno'

const hashes = new Map<string, Promise<PasswordHash | undefined>>()

/** What a service that is given this password makes of it, once in a process: each time takes a tenth of a second on purpose. */
export function ownerOf(password: string): Promise<PasswordHash | undefined> {
  const hash = hashes.get(password) ?? ownerPassword({ DASHBOARD_PASSWORD: password })
  hashes.set(password, hash)
  return hash
}

async function startHere(settings: Record<string, string>, url: string, log: Log) {
  const { DASHBOARD_PASSWORD: password } = settings
  const passwordHash = password === undefined ? undefined : await ownerOf(password)
  return await startService(testConfig(settings), url, log, { passwordHash })
}

/** In this process; or as a process of its own on the runtime that TEST_RUNTIME names, such as Deno. */
async function start(
  settings: Record<string, string>,
  url: string,
  log = quietLog(),
): Promise<RunningService> {
  const { TEST_RUNTIME } = process.env
  if (!TEST_RUNTIME) return await startHere(settings, url, log)
  const env = { SECRETS_KEY: secretsKey, ...settings, DATABASE_URL: url, ROLES: 'api' }
  const serving = await startProgram(TEST_RUNTIME as Runtime, env)
  const { port } = new URL(serving.url)
  const stop = async () => {
    await serving.stop()
  }
  return { url: serving.url, port: Number(port), retire() {}, stop }
}

/** Call at the top of a file. Settings are environment variables; the limit is out of the way by default. */
export const useService = (
  settings: Record<string, string> = {},
  template?: () => Promise<string>,
): TestService => {
  const test = useDatabase(template)
  return useServiceOn(test, () => ({ url: test.url, settings }))
}

type Serving = { url: string; settings?: Record<string, string>; log?: Log }

/** The same on a database that is there already, with the address the service takes to it. */
export function useServiceOn(database: TestDatabase, serving: () => Serving): TestService {
  const test = database as TestService
  beforeAll(async () => {
    const { url, settings, log } = serving()
    test.service = await start({ RATE_LIMIT_PER_MINUTE: '1000000', ...settings }, url, log)
    test.base = `${test.service.url}/api/v1`
    const database = openDatabase(test.sql, queries)
    test.makeKey = async (...named) =>
      (await createApiKey(database, { label: 'test', scopes: named })).key
    test.key = await test.makeKey(...scopes)
    test.send = (path, init = {}) => sendTo(test.base, path, { ...bearer(test.key), ...init })
  })
  afterAll(async () => {
    await test.service.stop()
  })
  return test
}

/** Call at the top of a file, after useService. */
export function useWorker(
  test: TestDatabase,
  settings: Record<string, string> = {},
  log = quietLog(),
): void {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker(testConfig(settings), test.url, log)
  })
  afterAll(() => worker.stop())
}

/** As if `granted` requests of this key had been answered in this second. */
export async function useUpLimit(sql: Sql, key: string, granted = 240) {
  await sql`
    insert into rate_windows (key_id, seconds, earlier, total, granted)
    select id, array[floor(extract(epoch from now()))], '{0}', ${granted}, ${granted}
    from api_keys where prefix = ${key.slice(0, 12)}`
}

// The targets are addresses of a documentation network that the service is set to allow: an address needs no name server.
export const allowedTargets = { WEBHOOK_ALLOWED_NETWORKS: '192.0.2.0/24' }
export const target = 'https://192.0.2.7/hooks'

export const subscriptionBody = (members: Record<string, unknown> = {}) => ({
  target_url: target,
  event_types: ['lead.created'],
  ...members,
})

/** POST /hooks with a body as it is. */
export const postHook = (api: TestService, body: BodyInit, headers: Record<string, string> = {}) =>
  api.send('/hooks', {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${api.key}`, ...headers },
  })

export const subscribe = (api: TestService, members: Record<string, unknown> = {}) =>
  postHook(api, JSON.stringify(subscriptionBody(members)), { 'content-type': 'application/json' })
