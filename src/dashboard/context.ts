// What pages know: of the running service, and of the request they answer.

import type { Throttle } from '../api/http/throttle.ts'
import type { Database } from '../db/database.ts'
import type { EventType } from '../model/event_type.ts'
import type { HookSettings } from '../model/hook.ts'
import type { PasswordHash } from '../model/password.ts'
import type { Log } from '../observability/log.ts'
import type { Faults } from '../observability/recent_errors.ts'
import type { HookReport } from '../operations/deliveries.ts'
import type { NoticeDefaults } from '../operations/notices.ts'
import type { OwnerAction } from '../operations/owner_actions.ts'
import type { Html } from './html.ts'
import type { Texts } from './texts.ts'

/** Where its value is from: `file` is one that the service made and keeps. */
type SettingLine = {
  name: string
  value: string
  source: 'default' | 'environment' | 'file'
}

/** What the pages show of the process that serves the dashboard. */
export type About = {
  /** What the broker calls the workspace. */
  workspace: string
  version: string
  schemaVersion: number
  roles: readonly string[]
  retentionDays: number
  overridden: readonly string[]
  settings: readonly SettingLine[]
  /** Ways to the owner as the settings have them. */
  notices: NoticeDefaults
}

type Stream = {
  isWanted(): Promise<boolean>
  /** Or until events were sequenced. */
  waitForEvents(milliseconds: number): Promise<void>
  end(): void
}

/** What the dashboard needs of the running service. */
export type Serving = {
  database: Database
  log: Log
  /** The password's hash; undefined: the dashboard is switched off. */
  owner: PasswordHash | undefined
  /** How webhooks are made; without keys in it there is nowhere to keep a secret. */
  hookSettings: HookSettings
  /** Where clients reach the service. */
  origin: string
  about: About
  /** Of this process since it started. */
  faults: Faults
  /** The client a sign-in counts for. */
  clientOf(request: Request): string
  /** Whether the browser's connection is encrypted, as far as is known. */
  isSecure(request: Request): boolean
  throttle: Throttle
  /** A sign-in came from a page under a name that is not `origin`'s. */
  onUnknownName(): void
  /** After this long a request is given up. */
  requestTimeoutMs: number
  /** Writes down which keys were used since the last time, and for what. */
  recordUses(): Promise<void>
  readForm(request: Request): Promise<URLSearchParams>
  /** The feed from a cursor on, for as long as `isAllowed` says so. */
  followFeed(
    request: Request,
    query: { after: number; types: EventType[] | null },
    isAllowed: () => Promise<boolean>,
  ): Promise<ReadableStream<Uint8Array>>
  /** A stream of our own, counted with the others. Throws rate_limited when too many are open. */
  openStream(request: Request, isAllowed: () => Promise<boolean>): Stream
}

/** What the owner chose; auto: what the browser's system says. */
export type Theme = 'auto' | 'light' | 'dark'

/** What came of an action, for the page that it led to. */
export type Done = { name: string; count?: number }

/** Where an action leads, and what is said there once. */
export type Next = { path: string; done: Done }

export type Context = {
  serving: Serving
  database: Database
  texts: Texts
  request: Request
  url: URL
  theme: Theme
  done: Done | null
  /** Parts of the path that the route names. */
  parameters: Record<string, string>
  /** Of this session: every form carries it back. */
  csrf: string
  /** All subscriptions, for the banner and for their names. */
  hooks: HookReport[]
  /** Notes what the owner did; `subject` is the id of a key or a subscription, `name` that of one that is gone. */
  note(action: OwnerAction, subject?: string | null, name?: string): Promise<void>
}

export type Page = {
  title: string
  content: Html
  /** 200 where nothing is said. */
  status?: number
  /** Which entry of the navigation it belongs to. */
  area?: keyof Texts['pages']
  /** The page above it. */
  trail?: { path: string; text: string }
  /** Stand next to the title. */
  actions?: Html
  /** Shows what is shown once: nothing on it leads to the same page again. */
  isOnce?: boolean
  /** What was sent did not arrive: what was typed is kept. */
  isRefused?: boolean
  /** Names those in trouble itself: no banner does. */
  isAboutTrouble?: boolean
  /** Says itself that nothing is delivered while no worker runs. */
  isAboutWorker?: boolean
}
