// A subscription as list_active_hooks answers with it.
import type { HookRow } from '../../src/delivery/subscription.ts'

export const hookRow = (id: string, columns: Partial<HookRow> = {}): HookRow => ({
  id,
  target_url: 'https://hooks.example.com/',
  event_types: ['a'],
  secret: '',
  old_secret: null,
  old_secret_until: null,
  old_secret_leads: false,
  cursor: 0,
  version: 1,
  replayed_version: 0,
  consecutive_failures: 0,
  waiting: 0,
  ...columns,
})
