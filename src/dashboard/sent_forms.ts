// Forms that must not be sent twice: the number that each carries, and how far it came the first time.
import { ApiError } from '../errors.ts'
import { isUndone } from '../lib/error_code.ts'
import type { Context } from './context.ts'
import { erasurePath } from './pages/erasure_report.ts'
import type { Act } from './routes.ts'

type Outcome = Awaited<ReturnType<Act>>

// Past this many the oldest are forgotten.
const sentMax = 10_000

/** A page that refuses. */
const didNothing = (outcome: Outcome): boolean =>
  outcome === null ||
  (typeof outcome === 'object' && 'status' in outcome && (outcome.status ?? 200) >= 400)

/** All else that is thrown may have been done, as when a connection was lost at the end. */
const wasUndone = (error: unknown): boolean => isUndone(error) || error instanceof ApiError

export function openSentForms() {
  // By the number of the form, whether it is known to have been done.
  const sent = new Map<string, boolean>()
  return {
    /** How the first one with this number went; undefined: there was none. */
    earlier(once: string | null): 'done' | 'unsure' | undefined {
      const isDone = sent.get(once ?? '')
      if (isDone === undefined) return undefined
      return isDone ? 'done' : 'unsure'
    },
    /** Runs it. What did nothing may be sent again. */
    async run(once: string | null, work: () => Promise<Outcome>): Promise<Outcome> {
      if (once === null) return await work()
      sent.set(once, false)
      if (sent.size > sentMax) sent.delete(sent.keys().next().value as string)
      try {
        const outcome = await work()
        if (didNothing(outcome)) sent.delete(once)
        else sent.set(once, true)
        return outcome
      } catch (error) {
        if (wasUndone(error)) sent.delete(once)
        throw error
      }
    },
  }
}

/** What was shown once may have been lost by reloading its page. */
export function twiceText({ texts, url }: Context, earlier: 'done' | 'unsure'): string {
  const { twice, unsure } = texts.problem
  const { key, hook, secret, other } = earlier === 'done' ? twice : unsure
  const { pathname } = url
  if (earlier === 'done' && pathname === erasurePath) return twice.erasure
  if (pathname.startsWith('/dashboard/keys')) return key
  if (!pathname.startsWith('/dashboard/webhooks')) return other
  if (pathname.endsWith('/new')) return hook
  return pathname.endsWith('/rotate') ? secret : other
}
