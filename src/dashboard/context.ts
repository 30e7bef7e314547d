// What pages know: of the running service, and of the request they answer.
import type { Database } from '../db/database.ts'
import type { Fault } from '../faults.ts'
import type { Log } from '../log.ts'
import type { EventType } from '../model/event_type.ts'
import type { PasswordHash } from '../model/password.ts'
import type { HookName } from '../operations/overview.ts'
import type { Html } from './html.ts'
import type { Texts } from './texts.ts'

/** Where its value is from: `file` is one that the service made and keeps. */
export type SettingLine = {
  name: string
  value: string
  source: 'default' | 'environment' | 'file'
}

/** What is told about the process that serves the dashboard. */
export type About = {
  version: string
  schemaVersion: number
  roles: readonly string[]
  retentionDays: number
  overridden: readonly string[]
  settings: readonly SettingLine[]
  noticesOn: boolean
}

/** What the dashboard needs of the running service. */
export type Serving = {
  database: Database
  log: Log
  /** The password's hash; undefined: the dashboard is switched off. */
  owner: PasswordHash | undefined
  /** Encrypt signing secrets; none when there is nowhere to keep one. */
  secretsKeys: readonly Uint8Array[]
  /** Where clients reach the service. */
  origin: string
  about: About
  /** Of this process since it started, newest first. */
  faults: readonly Fault[]
  /** The client a sign-in counts for. */
  clientOf(request: Request): string
  /** Whether the browser's connection is encrypted, as far as is known. */
  isSecure(request: Request): boolean
  throttle: { waitSeconds(client: string): number; recordFailure(client: string): void }
  /** After this long a request is given up. */
  requestTimeoutMs: number
  /** A request was given up. */
  onTimeout(): void
  /** Writes down which keys were used since the last time. */
  recordUses(): Promise<void>
  readForm(request: Request): Promise<URLSearchParams>
  /** The feed from a cursor on, for as long as `isAllowed` says so. */
  followFeed(
    request: Request,
    query: { after: number; types: EventType[] | null },
    isAllowed: () => Promise<boolean>,
  ): Promise<ReadableStream<Uint8Array>>
}

export type Context = {
  serving: Serving
  database: Database
  texts: Texts
  request: Request
  url: URL
  /** Parts of the path that the route names. */
  parameters: Record<string, string>
  /** Of this session: every form carries it back. */
  csrf: string
  /** All subscriptions, for the banner and for their names. */
  hooks: HookName[]
}

export type Page = {
  title: string
  content: Html
  /** 200 where nothing is said. */
  status?: number
  /** Which entry of the navigation it belongs to. */
  area?: keyof Texts['pages']
}
