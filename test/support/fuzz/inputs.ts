// Bytes from outside, made by mutating what is nearly right.
import type { Random } from './seeded.ts'

const pieces = [
  ...[
    '',
    '\0',
    '\r\n',
    '\t',
    ' ',
    '%',
    '%00',
    '%ff',
    '%2e%2e',
    '%2F',
    '+',
    '&',
    '=',
    '?',
    '#',
    ';',
  ],
  ...['/', '//', '/../', '/./', '\\', ':', '@', ',', '.', '..', '-', '_', '*', '"', "'", '<', '>'],
  ...[
    '{',
    '}',
    '[',
    ']',
    '[[[[[[[[',
    'null',
    'true',
    '1e999',
    '-0',
    '0x10',
    '99999999999999999999',
  ],
  ...[
    'ß',
    'İ',
    '\ud800',
    '\udfff',
    '\u200b',
    '\u202e',
    '😀',
    '\ufeff',
    '\u0301',
    '３',
    '\x7f',
    '\x85',
  ],
  ...['__proto__', 'constructor', 'toString', 'localhost', '127.0.0.1', '[::1]', '::ffff:7f00:1'],
  ...['a'.repeat(70), '9'.repeat(40), 'limit=5', 'https://', 'email:', 'lead:', 'netto 3.200 EUR'],
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
    if (edit === 0) mutated = head + random.of(pieces) + mutated.slice(at)
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
  if (kind < 6) return mutate(random, random.of(pieces))
  const members = Array.from({ length: random.below(4) }, () => jsonValue(random, levels - 1))
  if (kind === 6) return members
  return Object.fromEntries(members.map(member => [random.of(pieces), member]))
}
