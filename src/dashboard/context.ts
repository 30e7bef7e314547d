// What pages know: of the running service, and of the request that they answer.
import type { Throttle } from '../api/http/throttle.ts'
import type { Database } from '../db/database.ts'
import type { HookSettings } from '../model/hook.ts'
import type { HookHealth } from '../model/hook_health.ts'
import type { PasswordHash } from '../model/password.ts'
import type { Log } from '../observability/log.ts'
import type { Faults } from '../observability/recent_errors.ts'
import type { HookReport } from '../operations/deliveries.ts'
import type { NoticeDefaults } from '../operations/notices.ts'
import type { Html } from './html.ts'
import type { Texts } from './texts.ts'

/** What the pages show of the process that serves the dashboard. */
export type About = {
  /** What the broker calls the workspace. */
  workspace: string
  version: string
  retentionDays: number
  requestsPerMinuteMax: number
  /** The database's server is started by the service itself. */
  isEmbedded: boolean
  notices: NoticeDefaults
}

/** What the dashboard needs of the running service. */
export type Serving = {
  database: Database
  log: Log
  /** The password's hash; undefined: the dashboard is switched off. */
  owner: PasswordHash | undefined
  /** How webhooks are made; without keys in it there is nowhere to keep a secret. */
  hookSettings: HookSettings
  /** Whether the name of a host leads anywhere at the moment. */
  isResolved(host: string): Promise<boolean>
  /** Where clients reach the service. */
  origin: string
  about: About
  /** Of this process since it started. */
  faults: Faults
  /** The client that a sign-in counts for. */
  clientOf(request: Request): string
  /** Whether the browser's connection is encrypted, as far as is known. */
  isSecure(request: Request): boolean
  throttle: Throttle
  /** After this long a request is given up; half of it is for its form to arrive. */
  requestTimeoutMs: number
  /** Writes down which keys were used since the last time, and for what. */
  recordUsage(): Promise<void>
}

export type Reader = { texts: Texts }

/** A request, in the reader's language. */
export type Visit = Reader & { request: Request; requestId: string; url: URL }

/** What came of an action, for the page that it led to. */
export type Done = { name: string; count: number }

export type ShownHook = HookReport & { health: HookHealth; name: string }

/** A visit of the owner. */
export type Context = Visit & {
  serving: Serving
  database: Database
  done: Done | null
  /** Parts of the path that the route names. */
  parameters: Record<string, string>
  /** Of this session and this answer: every form carries it back. */
  csrf: string
  /** All subscriptions, those with the most urgent problem first. */
  hooks: ShownHook[]
}

export type Area = keyof Texts['pages']

export type DashboardPage = {
  title: string
  area: Area
  content: Html
  /** 200 where nothing is given. */
  status?: number
  /** The page above it. */
  trail?: { path: string; text: string }
  /** Next to the title. */
  actions?: Html | false
  /** It follows what happens: how often it is asked for. */
  liveMs?: number | false
  /** Shows what is shown once: it is not left by mistake. */
  isOnce?: boolean
}

/** Where an action leads, and what is said there once. */
export type Next = { path: string; done?: Partial<Done> }

/** Null: what it is about does not exist. */
export type Show = (context: Context) => Promise<DashboardPage | Next | null>
export type Act = (context: Context, fields: URLSearchParams) => ReturnType<Show>
/** `limitMs`: of an action that takes longer than other requests. */
export type Route = { path: string; show?: Show; act?: Act; limitMs?: number }
