// All addresses of a name, by the runtime's resolver that waits without holding a thread.
import { lookupOnBun } from './bun.ts'
import { lookupOnDeno } from './deno.ts'
import type { Lookup } from './types.ts'

export type { Lookup, ResolvedAddress } from './types.ts'

export const lookupAll: Lookup = hostname =>
  typeof Bun === 'undefined' ? lookupOnDeno(hostname) : lookupOnBun(hostname)
