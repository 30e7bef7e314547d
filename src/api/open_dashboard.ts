// Puts the dashboard together: the owner's password, and what the pages know of the running service.

import { listConfig } from '../config/print.ts'
import { type Config, environment } from '../config/settings.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { schemaVersion } from '../db/schema_files.ts'
import { lazy } from '../lib/lazy.ts'
import { hashPassword, type PasswordHash } from '../model/password.ts'
import type { Faults } from '../observability/recent_errors.ts'
import type { NoticeDefaults } from '../operations/notices.ts'
import { version } from '../version.ts'
import { readForm } from './http/body.ts'
import { openThrottle } from './http/throttle.ts'
import { openEventStream } from './rest/event_stream.ts'
import type { RestService } from './rest/serve_route.ts'

export type DashboardDeps = {
  config: Config
  service: RestService
  /** Where clients reach the service. */
  origin: string
  /** SQL files in the place of embedded ones. */
  overridden: readonly string[]
  faults: Faults
  recordRequests(): Promise<void>
  owner: PasswordHash | undefined
  isForwardedSecurely(request: Request): boolean
}

// The hash of DASHBOARD_PASSWORD never leaves the memory of a process. All processes must come to the same one:
// it is what sessions are bound to.
const sharedSalt = Buffer.from('workspace data api dashboard')

// Sign-ins of one client in a minute, those that succeed included.
const signInsMax = 10

/** The hash that signs the owner in, where DASHBOARD_PASSWORD is set. */
export const ownerPassword = async ({
  DASHBOARD_PASSWORD,
}: Pick<Config, 'DASHBOARD_PASSWORD'>): Promise<PasswordHash | undefined> =>
  DASHBOARD_PASSWORD === undefined ? undefined : await hashPassword(DASHBOARD_PASSWORD, sharedSalt)

/** How notices go where the owner entered nothing. */
const noticeDefaults = (config: Config): NoticeDefaults => ({
  mailServer: config.SMTP_URL === undefined ? null : new URL(config.SMTP_URL).hostname,
  mailTo: config.NOTICE_TO,
  language: config.NOTICE_LANGUAGE,
})

const aboutOf = ({ config, overridden }: DashboardDeps) => ({
  workspace: config.WORKSPACE_NAME,
  version,
  schemaVersion,
  roles: config.ROLES,
  retentionDays: config.EVENT_RETENTION_DAYS,
  overridden,
  settings: listConfig(config, environment()),
  notices: noticeDefaults(config),
})

/** A stranger can cause it as well: one line is enough. */
function once(report: () => void): () => void {
  let done = false
  return () => {
    if (!done) report()
    done = true
  }
}

async function openPages(deps: DashboardDeps): Promise<Dashboard> {
  const { openDashboard } = await import('../dashboard/dashboard.ts')
  const { service, origin, owner, isForwardedSecurely } = deps
  const { database, log, streams, hookSettings, clientOf, requestTimeoutMs } = service
  return openDashboard({
    database,
    log,
    owner,
    origin,
    about: aboutOf(deps),
    faults: deps.faults,
    hookSettings,
    clientOf,
    requestTimeoutMs,
    onUnknownName: once(() => log.event('origin_unknown', {})),
    isSecure: request => origin.startsWith('https:') || isForwardedSecurely(request),
    throttle: openThrottle(undefined, signInsMax),
    async recordUses() {
      await Promise.all([service.authentication.keyRing.recordUses(), deps.recordRequests()])
    },
    readForm: request => readForm(request, requestTimeoutMs / 2),
    followFeed: async (request, query, isAllowed) =>
      (await openEventStream(database, query, streams.open(request, 'owner', isAllowed))).stream,
    openStream: (request, isAllowed) => streams.open(request, 'owner', isAllowed),
  })
}

/** Most processes never show a page, and all of them take eight megabytes. */
export const lazyDashboard = (deps: () => DashboardDeps): Dashboard => lazy(() => openPages(deps()))
