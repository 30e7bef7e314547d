// Webhooks as pages know them: where the page of one is, which one an id means, who paused it.
import type { HookReport } from '../operations/deliveries.ts'
import type { Context } from './context.ts'

/** The page of a webhook, or what is below it: `/deliveries/7`. */
export const hookPath = (id: string, rest = ''): string => `/dashboard/webhooks/${id}${rest}`

export const hookOf = ({ hooks }: Pick<Context, 'hooks'>, id: string | undefined) =>
  hooks.find(hook => hook.id === id)

const dayMs = 86_400_000

/** What was delivered before the retention time is not known any more. */
export const isOlderThanKept = (
  { serving }: Pick<Context, 'serving'>,
  { created_at }: { created_at: string },
): boolean => {
  const { retentionDays } = serving.about
  return retentionDays >= 0 && Date.now() - Date.parse(created_at) > retentionDays * dayMs
}

/** Null: it is not paused. The owner's pause has a reason, which may be empty. */
export function pausedBy({
  active,
  pause_reason,
}: Pick<HookReport, 'active' | 'pause_reason'>): 'owner' | 'failures' | null {
  if (active) return null
  return pause_reason === null ? 'failures' : 'owner'
}
