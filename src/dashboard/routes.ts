// Every page and every action of the dashboard that needs a session.
import type { Context, Next, Page } from './context.ts'
import { connectPage } from './pages/connect.ts'
import { erasurePage, findOrErase } from './pages/erasure.ts'
import { keyPage } from './pages/key.ts'
import { createKey, keysPage, revokeKey, rotateKey } from './pages/keys.ts'
import { overviewPage } from './pages/overview.ts'

/** A page, or a file; null: what it is about does not exist. */
type Show = (context: Context) => Promise<Page | Response | null>
/** A page, where to go next with what to say there, or a response as it is; null: what it is about does not exist. */
export type Act = (
  context: Context,
  fields: URLSearchParams,
) => Promise<Page | Next | string | Response | null>

export type Route = { path: string; show?: Show; act?: Act }

export const routes: Route[] = [
  { path: '/dashboard', show: overviewPage },
  { path: '/dashboard/keys', show: keysPage, act: createKey },
  { path: '/dashboard/keys/{id}', show: keyPage },
  { path: '/dashboard/keys/{id}/rotate', act: rotateKey },
  { path: '/dashboard/keys/{id}/revoke', act: revokeKey },
  { path: '/dashboard/connect', show: connectPage },
  { path: '/dashboard/erasure', show: erasurePage, act: findOrErase },
]

const forms = {
  id: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  number: '[1-9]\\d{0,15}',
  // A test event's is below 0.
  cursor: '-?[1-9]\\d{0,15}',
}

const patterns = routes.map(route => ({
  route,
  pattern: new RegExp(
    `^${route.path.replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${forms[name as keyof typeof forms]})`)}$`,
  ),
}))

/** An id as the database writes it. */
const plainly = (groups: Record<string, string> = {}): Record<string, string> =>
  groups.id === undefined ? { ...groups } : { ...groups, id: groups.id.toLowerCase() }

/** The route of a path, and the parts of it that the route names. */
export function findRoute(
  path: string,
): { route: Route; parameters: Record<string, string> } | undefined {
  for (const { route, pattern } of patterns) {
    const match = pattern.exec(path)
    if (match) return { route, parameters: plainly(match.groups) }
  }
  return undefined
}

/** The page that a path is about: itself, or the nearest one above it that can be shown. */
export function pageNear(path: string): string {
  if (path.length <= '/dashboard'.length) return '/dashboard'
  return findRoute(path)?.route.show ? path : pageNear(path.slice(0, path.lastIndexOf('/')))
}
