// Every page and every action of the dashboard that needs a session.
import type { Context, Page } from './context.ts'
import { connectPage } from './pages/connect.ts'
import { deliveryPage } from './pages/delivery.ts'
import { erasurePage, findOrErase } from './pages/erasure.ts'
import { eventPage, eventsPage } from './pages/events.ts'
import { createKey, keysPage, revokeKey } from './pages/keys.ts'
import { overviewPage } from './pages/overview.ts'
import { statusPage } from './pages/status.ts'
import { webhookPage } from './pages/webhook.ts'
import {
  deliver,
  reactivate,
  reactivateAndDeliver,
  rotate,
  sendAgain,
  sendTest,
  switchToNew,
} from './pages/webhook_actions.ts'
import { webhooksPage } from './pages/webhooks.ts'

type Show = (context: Context) => Promise<Page | null>
/** A page, where to go next, or a response as it is; null: what it is about does not exist. */
export type Act = (
  context: Context,
  fields: URLSearchParams,
) => Promise<Page | string | Response | null>

export type Route = { path: string; show?: Show; act?: Act }

const hook = '/dashboard/webhooks/{id}'

export const routes: Route[] = [
  { path: '/dashboard', show: overviewPage },
  { path: '/dashboard/keys', show: keysPage, act: createKey },
  { path: '/dashboard/keys/{id}/revoke', act: revokeKey },
  { path: '/dashboard/webhooks', show: webhooksPage },
  { path: hook, show: webhookPage },
  { path: `${hook}/reactivate`, act: reactivate },
  { path: `${hook}/reactivate-deliver`, act: reactivateAndDeliver },
  { path: `${hook}/deliver-missed`, act: deliver },
  { path: `${hook}/test`, act: sendTest },
  { path: `${hook}/rotate`, act: rotate },
  { path: `${hook}/switch`, act: switchToNew },
  { path: '/dashboard/deliveries/{number}', show: deliveryPage },
  { path: '/dashboard/deliveries/{number}/redeliver', act: sendAgain },
  { path: '/dashboard/events', show: eventsPage },
  { path: '/dashboard/events/{number}', show: eventPage },
  { path: '/dashboard/connect', show: connectPage },
  { path: '/dashboard/status', show: statusPage },
  { path: '/dashboard/erasure', show: erasurePage, act: findOrErase },
]

const forms = {
  id: '[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}',
  number: '[1-9]\\d{0,14}',
}

const patterns = routes.map(route => ({
  route,
  pattern: new RegExp(
    `^${route.path.replace(/\{(\w+)\}/g, (_, name) => `(?<${name}>${forms[name as keyof typeof forms]})`)}$`,
  ),
}))

/** The route of a path, and the parts of it that the route names. */
export function findRoute(
  path: string,
): { route: Route; parameters: Record<string, string> } | undefined {
  for (const { route, pattern } of patterns) {
    const match = pattern.exec(path)
    if (match) return { route, parameters: { ...match.groups } }
  }
  return undefined
}
