// Properties of the rule over generated documents. The seed is fixed and named in a failure, so that it can be
// seen again.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import {
  harmlessKeys,
  harmlessTexts,
  incomeKeys,
  incomeTexts,
  type JsonValue,
} from '../support/income/income_cases.ts'

const database = useDatabase()
const seed = 20_260_301
const documents = 400

/** mulberry32: small, and the same everywhere. */
function randomOf(start: number) {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

type Random = () => number
const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value

const plainKeys = [
  'a',
  'b',
  'titel_kurz',
  'sparte',
  'nummer',
  'haushalt',
  'personen',
  'vertraege',
  'art',
  'wert',
  'sollwert',
]

type Vocabulary = { keys: readonly string[]; texts: readonly string[] }

function leaf(random: Random, { texts }: Vocabulary): JsonValue {
  return pick<() => JsonValue>(random, [
    () => null,
    () => random() < 0.5,
    () => Math.floor(random() * 90_000),
    () => pick(random, texts),
    () => pick(random, ['hallo', 'x', '2026-01-01', '']),
  ])()
}

function generate(random: Random, words: Vocabulary, depth: number): JsonValue {
  const width = Math.floor(random() * 5)
  if (depth === 0 || random() < 0.2) return leaf(random, words)
  const child = () => generate(random, words, depth - 1)
  if (random() < 0.3) return Array.from({ length: width }, child)
  return Object.fromEntries(
    Array.from({ length: width }, () => [pick(random, [...plainKeys, ...words.keys]), child()]),
  )
}

const whole: Vocabulary = {
  keys: [...incomeKeys, ...harmlessKeys],
  texts: [...incomeTexts.map(([text]) => text), ...harmlessTexts],
}
// personen is left out: below it unknown numbers go without any word of income.
// So are texts that speak of an income without a number: as a name they make their siblings amounts of it.
const harmless: Vocabulary = {
  keys: harmlessKeys,
  texts: harmlessTexts.filter(
    text => !/verdient|Einkommen unbekannt|Gehalt (steigt|ist)/.test(text),
  ),
}

async function redactAll(all: JsonValue[]): Promise<JsonValue[]> {
  const rows = await database.sql.unsafe(
    'select redact_income(value)::text as clean from jsonb_array_elements($1::text::jsonb) with ordinality as given (value, place) order by place',
    [JSON.stringify(all)],
  )
  return rows.map(row => JSON.parse(row.clean))
}

const generated = (words: Vocabulary, start: number) =>
  Array.from({ length: documents }, (_, index) => generate(randomOf(start + index), words, 5))

type Leaf = { path: string; value: JsonValue }

/** Leaves with their paths; an index is no part of a path, because elements before it may go. */
const leavesOf = (value: JsonValue, path = ''): Leaf[] => {
  if (value === null || typeof value !== 'object') return [{ path, value }]
  if (Array.isArray(value)) return value.flatMap(element => leavesOf(element, `${path}[]`))
  return Object.entries(value).flatMap(([key, part]) => leavesOf(part, `${path}.${key}`))
}

const countBy = (leaves: Leaf[], wanted: (value: JsonValue) => boolean) => {
  const counts = new Map<string, number>()
  for (const { path, value } of leaves)
    if (wanted(value)) {
      const name = `${path} ${JSON.stringify(value)}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  return counts
}

const given = generated(whole, seed)

let redacted: Promise<JsonValue[]> | undefined
/** What is left of them, once for all tests that look at it. */
const redactGiven = () => (redacted ??= redactAll(given))

test('a second time changes nothing', async () => {
  const once = await redactGiven()
  const twice = await redactAll(once)
  for (const [index, document] of twice.entries())
    expect({ seed: seed + index, document }).toEqual({
      seed: seed + index,
      document: once[index] as JsonValue,
    })
}, 60_000)

test('what is left of a number that was removed in part goes with the first time', async () => {
  const documents = [
    'Die Miete beträgt 127.0.0.1900 EUR, das Gehalt 3.200 EUR.',
    'Verdient 3.200127.0.0.1127.0.0.1 E im Monat.',
    'income is 48,nullnull500 a year',
  ].map(notiz => ({ notiz }))
  const once = await redactAll(documents)
  expect(once).not.toEqual(documents)
  expect(await redactAll(once)).toEqual(once)
})

test('nothing is added but [entfernt]: every number and flag left was there before', async () => {
  const cleaned = await redactGiven()
  let removed = 0
  for (const [index, document] of cleaned.entries()) {
    const before = countBy(leavesOf(given[index] as JsonValue), value => typeof value !== 'string')
    const after = countBy(leavesOf(document), value => typeof value !== 'string')
    for (const [name, count] of after)
      expect({ seed: seed + index, name, fits: count <= (before.get(name) ?? 0) }).toEqual({
        seed: seed + index,
        name,
        fits: true,
      })
    removed += leavesOf(given[index] as JsonValue).length - leavesOf(document).length
  }
  // Else the documents would have had nothing to remove, and this test nothing to say.
  expect(removed).toBeGreaterThan(100)
}, 60_000)

test('every boolean and every null stays', async () => {
  const wanted = (value: JsonValue) => value === null || typeof value === 'boolean'
  const cleaned = await redactGiven()
  for (const [index, document] of cleaned.entries())
    expect({ seed: seed + index, leaves: [...countBy(leavesOf(document), wanted)].sort() }).toEqual(
      {
        seed: seed + index,
        leaves: [...countBy(leavesOf(given[index] as JsonValue), wanted)].sort(),
      },
    )
}, 60_000)

test('no number stands below a member named after an income', async () => {
  const named = new Set(incomeKeys)
  const numbersBelow = (value: JsonValue, inside: boolean): JsonValue[] => {
    if (typeof value === 'number') return inside ? [value] : []
    if (value === null || typeof value !== 'object') return []
    if (Array.isArray(value)) return value.flatMap(element => numbersBelow(element, inside))
    return Object.entries(value).flatMap(([key, part]) =>
      // What a person needs is a target, wherever it stands.
      numbersBelow(part, inside || named.has(key)),
    )
  }
  const cleaned = await redactGiven()
  for (const [index, document] of cleaned.entries())
    expect({ seed: seed + index, numbers: numbersBelow(document, false) }).toEqual({
      seed: seed + index,
      numbers: [],
    })
}, 60_000)

test('a document without income is unchanged', async () => {
  const innocent = generated(harmless, seed * 2).map(document =>
    JSON.parse(JSON.stringify(document).replaceAll('"personen"', '"leute"')),
  )
  const cleaned = await redactAll(innocent)
  for (const [index, document] of cleaned.entries())
    expect({ seed: seed * 2 + index, document }).toEqual({
      seed: seed * 2 + index,
      document: innocent[index] as JsonValue,
    })
}, 60_000)
