// Every page and every action of the dashboard that needs a session.
import type { Context, Next, Page } from './context.ts'
import { catalogPage } from './pages/catalog.ts'
import { connectPage } from './pages/connect.ts'
import { exportDeliveries } from './pages/deliveries_csv.ts'
import { deliveryPage } from './pages/delivery.ts'
import { erasurePage, findOrErase } from './pages/erasure.ts'
import { eventPage, eventsPage } from './pages/events.ts'
import { keyPage } from './pages/key.ts'
import { createKey, keysPage, revokeKey, rotateKey } from './pages/keys.ts'
import { noticesPage, saveNotices, testNoticesNow } from './pages/notices.ts'
import { overviewPage } from './pages/overview.ts'
import { statusPage } from './pages/status.ts'
import { webhookPage } from './pages/webhook.ts'
import {
  deliver,
  dismiss,
  pause,
  reactivate,
  reactivateAndDeliver,
  remove,
  removePage,
  rotate,
  sendAgain,
  sendFoundAgain,
  sendTest,
  switchToNew,
} from './pages/webhook_actions.ts'
import { changeHook, changeHookPage, makeHook, newHookPage } from './pages/webhook_form.ts'
import { webhooksPage } from './pages/webhooks.ts'

/** A page, or a file; null: what it is about does not exist. */
type Show = (context: Context) => Promise<Page | Response | null>
/** A page, where to go next with what to say there, or a response as it is; null: what it is about does not exist. */
export type Act = (
  context: Context,
  fields: URLSearchParams,
) => Promise<Page | Next | string | Response | null>

export type Route = { path: string; show?: Show; act?: Act }

const hook = '/dashboard/webhooks/{id}'

export const routes: Route[] = [
  { path: '/dashboard', show: overviewPage },
  { path: '/dashboard/keys', show: keysPage, act: createKey },
  { path: '/dashboard/keys/{id}', show: keyPage },
  { path: '/dashboard/keys/{id}/rotate', act: rotateKey },
  { path: '/dashboard/keys/{id}/revoke', act: revokeKey },
  { path: '/dashboard/webhooks', show: webhooksPage },
  { path: '/dashboard/webhooks/new', show: newHookPage, act: makeHook },
  { path: hook, show: webhookPage },
  { path: `${hook}/edit`, show: changeHookPage, act: changeHook },
  { path: `${hook}/pause`, act: pause },
  { path: `${hook}/delete`, show: removePage, act: remove },
  { path: `${hook}/reactivate`, act: reactivate },
  { path: `${hook}/reactivate-deliver`, act: reactivateAndDeliver },
  { path: `${hook}/deliver-missed`, act: deliver },
  { path: `${hook}/dismiss`, act: dismiss },
  { path: `${hook}/redeliver`, act: sendFoundAgain },
  { path: `${hook}/test`, act: sendTest },
  { path: `${hook}/rotate`, act: rotate },
  { path: `${hook}/switch`, act: switchToNew },
  { path: `${hook}/export`, show: exportDeliveries },
  { path: `${hook}/deliveries/{cursor}`, show: deliveryPage },
  { path: `${hook}/deliveries/{cursor}/redeliver`, act: sendAgain },
  { path: '/dashboard/events', show: eventsPage },
  { path: '/dashboard/events/catalog', show: catalogPage },
  { path: '/dashboard/events/{number}', show: eventPage },
  { path: '/dashboard/connect', show: connectPage },
  { path: '/dashboard/notices', show: noticesPage, act: saveNotices },
  { path: '/dashboard/notices/test', act: testNoticesNow },
  { path: '/dashboard/status', show: statusPage },
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
