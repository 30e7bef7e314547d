// How demo rows are drawn: each is a pure function of a name and a number. There is no Math.random() and no clock, so
// the same call makes the same row on every machine, in any order.
import { createHash } from 'node:crypto'

/** The present of the demo rows: only appointments to come lie after it. */
export const today = Date.parse('2026-03-01T12:00:00Z')
export const minute = 60_000
export const day = 24 * 60 * minute

/** A number from 0 to `below` - 1 (FNV-1a, mixed at the end as MurmurHash3 does). */
export function pick(seed: string, n: number, below: number): number {
  let hash = 2_166_136_261
  const text = `${seed}:${n}`
  for (let place = 0; place < text.length; place += 1)
    hash = Math.imul(hash ^ text.charCodeAt(place), 16_777_619)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % below
}

export const chance = (seed: string, n: number, percent: number) => pick(seed, n, 100) < percent

export const oneOf = <Value>(seed: string, n: number, values: readonly Value[]): Value =>
  values[pick(seed, n, values.length)] as Value

/** The earlier in the list, the more often: first and last names. */
export const commonOf = (seed: string, n: number, values: readonly string[]): string =>
  values[Math.floor(values.length * (pick(seed, n, 4_096) / 4_096) ** 1.7)] as string

/** Entries of a text like `name|part; name|part`. */
export const listOf = (text: string) => text.split(/;\s*/).map(entry => entry.split('|'))

/** A word by its share in percent, as in `new 22, contacted 78`. */
export function shareOf(seed: string, n: number, shares: string): string {
  let roll = pick(seed, n, 100)
  for (const share of shares.split(', ')) {
    const [word = '', percent] = share.split(' ')
    roll -= Number(percent)
    if (roll < 0) return word
  }
  throw new RangeError(`the shares are below 100: ${shares}`)
}

/** Version 8, so that strict readers of UUIDs take it. */
export function uuid(entity: string, n: number): string {
  const hex = createHash('md5').update(`demo:${entity}:${n}`).digest('hex')
  const part = (from: number, to: number) => hex.slice(from, to)
  return `${part(0, 8)}-${part(8, 12)}-8${part(12, 15)}-${'89ab'[n % 4]}${part(15, 18)}-${part(18, 30)}`
}

/** ISO 8601 in whole seconds. */
export const iso = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`

/** A moment between two others. */
export const between = (seed: string, n: number, from: number, to: number) =>
  from + 1_000 * pick(seed, n, Math.max(1, Math.floor((to - from) / 1_000)))
