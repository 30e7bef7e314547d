// Puts the dashboard together: the owner's password, and what the pages know of the running service.
import { type Config, environment } from './config.ts'
import { listConfig } from './config_list.ts'
import type { Dashboard } from './dashboard/dashboard.ts'
import { schemaVersion } from './db/migrations.ts'
import type { Fault } from './faults.ts'
import { readForm } from './http/body.ts'
import { openThrottle } from './http/throttle.ts'
import { lazily } from './lazily.ts'
import { hashPassword, type PasswordHash } from './model/password.ts'
import type { Service } from './rest/attempt.ts'
import { openEventStream } from './rest/event_stream.ts'
import { version } from './version.ts'

export type Owning = {
  config: Config
  service: Service
  /** Where clients reach the service. */
  origin: string
  /** SQL files in the place of embedded ones. */
  overridden: readonly string[]
  faults: readonly Fault[]
  owner: PasswordHash | undefined
  isForwardedSecurely(request: Request): boolean
}

// The hash of DASHBOARD_PASSWORD never leaves the memory of a process. All processes must come to the same one:
// it is what sessions are bound to.
const sharedSalt = Buffer.from('workspace data api dashboard')

// Sign-ins of one client in a minute, those that succeed included.
const signInsMax = 10

/** The hash that signs the owner in; `kept` is that of the embedded server's own password. */
export const ownerPassword = async (
  { DASHBOARD_PASSWORD }: Config,
  kept: PasswordHash | undefined,
): Promise<PasswordHash | undefined> =>
  DASHBOARD_PASSWORD === undefined ? kept : await hashPassword(DASHBOARD_PASSWORD, sharedSalt)

const aboutOf = ({ config, overridden }: Owning) => ({
  version,
  schemaVersion,
  roles: config.ROLES,
  retentionDays: config.EVENT_RETENTION_DAYS,
  overridden,
  settings: listConfig(config, environment()),
  noticesOn: config.OWNER_WEBHOOK_URL !== undefined,
})

async function openPages(owning: Owning): Promise<Dashboard> {
  const { openDashboard } = await import('./dashboard/dashboard.ts')
  const { service, origin, owner, isForwardedSecurely } = owning
  const { database, log, streams, subscribing, clientOf, requestTimeoutMs } = service
  return openDashboard({
    database,
    log,
    owner,
    origin,
    about: aboutOf(owning),
    faults: owning.faults,
    secretsKeys: subscribing.secretsKeys,
    clientOf,
    requestTimeoutMs,
    onTimeout: service.onTimeout,
    isSecure: request => origin.startsWith('https:') || isForwardedSecurely(request),
    throttle: openThrottle(undefined, signInsMax),
    recordUses: () => service.authentication.keyRing.recordUses(),
    readForm: request => readForm(request, requestTimeoutMs / 2),
    followFeed: (request, query, isAllowed) =>
      openEventStream(database, query, streams.open(request, isAllowed)),
  })
}

/** Most processes never show a page, and all of them take eight megabytes. */
export const openOwnersSide = (owning: Owning): Dashboard => lazily(() => openPages(owning))
