// Puts the dashboard together: the owner's password, and what the pages know of the running service.
import type { Config } from '../config/settings.ts'
import type { Dashboard } from '../dashboard/dashboard.ts'
import { lazy } from '../lib/lazy.ts'
import { withTimeout } from '../lib/timeout.ts'
import { defaultLanguage } from '../model/notice.ts'
import { hashPassword, type PasswordHash } from '../model/password.ts'
import { literalAddress } from '../model/target_url.ts'
import type { Faults } from '../observability/recent_errors.ts'
import type { NoticeDefaults } from '../operations/notices.ts'
import { lookupAll } from '../runtime/lookup.ts'
import { version } from '../version.ts'
import { openThrottle } from './http/throttle.ts'
import type { RestService } from './rest/answer.ts'

export type DashboardDeps = {
  config: Config
  service: RestService
  /** Where clients reach the service. */
  origin: string
  faults: Faults
  recordUsage(): Promise<void>
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
  language: defaultLanguage,
})

const aboutOf = ({ config }: DashboardDeps) => ({
  workspace: config.WORKSPACE_NAME,
  version,
  retentionDays: config.EVENT_RETENTION_DAYS,
  requestsPerMinuteMax: config.RATE_LIMIT_PER_MINUTE,
  isEmbedded: config.DATABASE_URL === undefined,
  notices: noticeDefaults(config),
})

// Of a name that the owner has just entered: the page waits for the answer.
const lookupMs = 2_000

async function openPages(deps: DashboardDeps): Promise<Dashboard> {
  const { openDashboard } = await import('../dashboard/dashboard.ts')
  const { service, origin, owner, isForwardedSecurely } = deps
  const { database, log, hookSettings, clientOf, requestTimeoutMs } = service
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
    isSecure: request => origin.startsWith('https:') || isForwardedSecurely(request),
    throttle: openThrottle(undefined, signInsMax),
    recordUsage: deps.recordUsage,
    async isResolved(host) {
      const address = literalAddress(host)
      const found = await withTimeout(lookupAll(host), lookupMs).catch(() => [])
      return address !== undefined || found.length > 0
    },
  })
}

/** Most processes never show a page, and all of them take eight megabytes. */
export const lazyDashboard = (deps: () => DashboardDeps): Dashboard => lazy(() => openPages(deps()))
