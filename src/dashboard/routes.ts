// Every page and every action of the dashboard that needs a session.
import type { Route } from './context.ts'
import { eventPage } from './pages/event.ts'
import { eventsPage } from './pages/events.ts'
import { createKey, keysPage, revokeKey, rotateKey } from './pages/keys.ts'
import { overviewPage } from './pages/overview.ts'
import { erasePerson, findPerson, privacyPage } from './pages/privacy.ts'
import { saveNotices, sendTestNotice, systemPage } from './pages/system.ts'
import { webhookPage } from './pages/webhook.ts'
import * as hooks from './pages/webhook_actions.ts'
import { makeHook, newHookPage, webhooksPage } from './pages/webhooks.ts'

const hook = '/dashboard/webhooks/:id'

export const routes: Route[] = [
  { path: '/dashboard', show: overviewPage },
  { path: '/dashboard/keys', show: keysPage, act: createKey },
  { path: '/dashboard/keys/:id/rotate', act: rotateKey },
  { path: '/dashboard/keys/:id/revoke', act: revokeKey },
  { path: '/dashboard/webhooks', show: webhooksPage },
  { path: '/dashboard/webhooks/new', show: newHookPage, act: makeHook },
  { path: hook, show: context => webhookPage(context) },
  { path: `${hook}/address`, act: hooks.changeAddress },
  // A receiver has 15 s to answer.
  { path: `${hook}/test`, act: hooks.sendTest, limitMs: 20_000 },
  { path: `${hook}/reactivate`, act: hooks.reactivate },
  { path: `${hook}/events`, act: hooks.changeEvents },
  { path: `${hook}/pause`, act: hooks.pause },
  { path: `${hook}/replay`, act: hooks.replay },
  { path: `${hook}/redeliver`, act: hooks.sendAgain },
  { path: `${hook}/dismiss`, act: hooks.dismiss },
  { path: `${hook}/rotate`, act: hooks.rotate },
  { path: `${hook}/switch`, act: hooks.switchToNew },
  { path: `${hook}/delete`, act: hooks.remove },
  { path: '/dashboard/events', show: eventsPage },
  { path: '/dashboard/events/:cursor', show: eventPage },
  { path: '/dashboard/privacy', show: privacyPage, act: findPerson },
  { path: '/dashboard/privacy/erase', act: erasePerson },
  { path: '/dashboard/system', show: systemPage },
  { path: '/dashboard/system/notices', act: saveNotices },
  { path: '/dashboard/system/test', act: sendTestNotice },
]

const shown = routes
  .filter(({ show }) => show)
  .map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[\\w-]+')}$`))

/** The page that a path is about: itself, or the nearest one above it that can be shown. */
export function pageNear(path: string): string {
  if (path.length <= '/dashboard'.length) return '/dashboard'
  return shown.some(form => form.test(path)) ? path : pageNear(path.slice(0, path.lastIndexOf('/')))
}
