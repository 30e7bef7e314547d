// The eight scopes of spec part 5 and the set a new key gets when none is named.

export const scopes = [
  'read:leads',
  'read:analyses',
  'read:kontakte',
  'read:appointments',
  'read:meetings',
  'read:signals',
  'read:events',
  'write:hooks',
] as const

export type Scope = (typeof scopes)[number]

/** Every read scope but read:signals, which is opt-in (spec part 5). */
export const defaultScopes: Scope[] = scopes.filter(
  scope => scope.startsWith('read:') && scope !== 'read:signals',
)

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text)
