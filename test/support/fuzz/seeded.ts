// Chance that a seed repeats, and inputs made by it.
export type Random = {
  below(count: number): number
  digits(count: number): string
  of<T>(list: T[]): T
}

/** mulberry32: small, and good enough for tests. */
export function seeded(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    digits: count => Array.from({ length: count }, () => below(10)).join(''),
    of: list => list[below(list.length)] as (typeof list)[number],
  }
}

const identityPieces = [
  ...'email: phone: lead: mailto: tel: : @ @ . .. xn--mller-kva xn-- xn--a- xn--99999 example .org de'.split(
    ' ',
  ),
  ...'ÄÖÜ ß ẞ İ ı Σ ς +49 0049 (0) 0171 3920001 49 / - x12 ٣ ９ \\ " \' < % _ 😀'.split(' '),
  ...['Email :', ' ', '\t', '\n', '3f2b8c1e-9d4a-4b7e-8f6a-1c2d3e4f5a6b', '\ud83d\ude00\u200d'],
  ...'\u200b,\u00ad,\u202e,e\u0301,\ufb01,\u2025,\u0085,\u2028,\u{e0041},\u0001,\u001f,\u007f,\u009f,\u3002'.split(
    ',',
  ),
]

/** A text put together from what identities are made of and what breaks rules about them. */
export const oddText = (random: Random): string =>
  Array.from({ length: 1 + random.below(6) }, () => random.of(identityPieces)).join('')

const inputPieces = [
  ...'% %00 %ff %2e%2e %2F + & = ? # ; / // /../ /./ \\ : @ , . .. - _ * " \' < > { } [ ] [[[[[[[['.split(
    ' ',
  ),
  ...'null true 1e999 -0 0x10 99999999999999999999 __proto__ constructor toString localhost 127.0.0.1'.split(
    ' ',
  ),
  ...'ß İ 😀 ３ [::1] ::ffff:7f00:1 limit=5 https:// email: lead:'.split(' '),
  ...'\0,\r\n,\t, ,\ud800,\udfff,\u200b,\u202e,\ufeff,\u0301,\x7f,\x85,,netto 3.200 EUR'.split(','),
  ...['a'.repeat(70), '9'.repeat(40)],
]

/** One to four changes: a piece put in, a part cut out or doubled, a character replaced. */
export function mutate(random: Random, text: string): string {
  let mutated = text
  for (let edits = 1 + random.below(4); edits > 0; edits -= 1) {
    const at = random.below(mutated.length + 1)
    const to = at + random.below(12)
    const head = mutated.slice(0, at)
    const part = mutated.slice(at, to)
    const edit = random.below(4)
    if (edit === 0) mutated = head + random.of(inputPieces) + mutated.slice(at)
    else if (edit === 1) mutated = head + mutated.slice(to)
    else if (edit === 2) mutated = head + part + part + mutated.slice(to)
    else mutated = head + String.fromCharCode(random.below(0x300)) + mutated.slice(at + 1)
  }
  return mutated
}

/** A value of JSON, of every kind, a few levels deep. */
export function jsonValue(random: Random, levels = 3): unknown {
  const kind = random.below(levels > 0 ? 8 : 6)
  if (kind === 0) return null
  if (kind === 1) return random.below(2) === 0
  if (kind === 2) return random.of([0, -1, 1.5, 1e308, 2 ** 53, -(2 ** 63)])
  if (kind < 6) return mutate(random, random.of(inputPieces))
  const members = Array.from({ length: random.below(4) }, () => jsonValue(random, levels - 1))
  if (kind === 6) return members
  return Object.fromEntries(members.map(member => [random.of(inputPieces), member]))
}
