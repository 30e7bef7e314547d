// All addresses of a name, by the runtime's resolver that waits without holding a thread.
import { lookupOnBun } from './bun.ts'
import { lookupOnDeno } from './deno.ts'

export type ResolvedAddress = { address: string; family: number }

/** Both families, in the order to be tried; rejects when there is none. */
export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>

export const lookupAll: Lookup = hostname =>
  typeof Bun === 'undefined' ? lookupOnDeno(hostname) : lookupOnBun(hostname)
