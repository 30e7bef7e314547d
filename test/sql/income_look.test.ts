// The look that most documents end with is wider than the rule: what has none of its words is never changed.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import { incomeDocuments, incomeKeys, incomeTexts } from '../support/income/income_cases.ts'
import { evaluationCases } from '../support/income/income_evaluation.ts'
import { readWords } from '../support/income/income_words.ts'
import { wordsOf } from './pattern_words.ts'

const database = useDatabase()

/** The words of income, as the registry lists them. */
const { heads, forms, words: whole } = readWords()
const incomes = [...heads.income, ...forms.income, ...whole.income, ...whole.measure]
  .join(' ')
  .split(' ')

const umlauts: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** As it is written, in two letters, without its dots. */
const spellingsOf = (word: string) => [
  word,
  word.replaceAll(/[äöü]/g, letter => umlauts[letter] ?? letter),
  word.replaceAll(/[äöü]/g, letter => umlauts[letter]?.[0] ?? letter),
]

/** Whether the rule goes through a document, by its text. */
const isSeen = (written: string) =>
  `(income_hits(${written}) <> '{}' or position('personen' in ${written}) > 0)`

/** Which of the texts the look passes over, and which of them no piece finds again in their document. */
async function missed(texts: string[]) {
  const rows = await database.sql.unsafe(
    `with given as (
      select value, to_jsonb(value)::text as written from jsonb_array_elements_text($1::text::jsonb) as value
    )
    select value,
      ${isSeen('written')} as seen,
      -- AppExtras a document of another income, whose pieces alone would not find it.
      is_hit(written, income_hits(concat_ws(', ', '{"revenue": 1', written, '"z": 1}'))) as found
    from given
    where not ${isSeen('written')} or not is_hit(written, income_hits(concat_ws(', ', '{"revenue": 1', written, '"z": 1}')))`,
    [JSON.stringify(texts)],
  )
  return [...rows]
}

test('every word that the rule knows is seen, in any case and with umlauts in any form', async () => {
  // A text by itself, and one among others.
  const words = incomes.flatMap(spellingsOf).flatMap(word => [`${word} 1`, `der ${word} 1`])
  expect(words.length).toBeGreaterThan(300)
  expect(words).toContain('einkünfte 1')
  expect(await missed(words)).toEqual([])
  expect(await missed(words.map(word => word.toUpperCase()))).toEqual([])
}, 60_000)

test('every case of the evaluation is seen', async () => {
  const going = evaluationCases().filter(({ goes }) => goes)
  const rows = await database.sql.unsafe(
    `select value from jsonb_array_elements_text($1::text::jsonb) as value where not ${isSeen('value')}`,
    [JSON.stringify(going.map(({ given }) => given))],
  )
  expect([...rows]).toEqual([])
})

test('so are names and texts that are no word of income by themselves', async () => {
  const others = wordsOf(
    '(bezieht|bezogen|bekommt) rente|rente (bezieht|bezog|bekommt)|netto|brutto|' +
      '(monthly|annual|yearly)?(net|gross)_?(monthly|annual|amount|eur|per_month)|"(net|gross)"|net\n|gross\t',
  )
  expect(await missed(others)).toEqual([])
})

test('every case of the catalog is seen', async () => {
  const cases = [
    ...incomeKeys,
    ...incomeTexts.map(([text]) => text),
    ...incomeDocuments.map(([, document]) => JSON.stringify(document)),
  ]
  const rows = await database.sql.unsafe(
    `select value from jsonb_array_elements_text($1::text::jsonb) as value where not ${isSeen('to_jsonb(value)::text')}`,
    [JSON.stringify(cases)],
  )
  expect([...rows]).toEqual([])
})

test('whatever the look sees has a piece', async () => {
  const [row] = await database.sql`select income_look() as pattern`
  const words = wordsOf(row?.pattern)
  expect(words.length).toBeGreaterThan(150)
  const rows = await database.sql.unsafe(
    `select value from jsonb_array_elements_text($1::text::jsonb) as value
    where not exists (select from unnest(income_pieces() || income_context_pieces()) as piece where position(piece in income_lower(value)) > 0)`,
    [JSON.stringify(words)],
  )
  expect([...rows]).toEqual([])
})

test('an ordinary document is not seen: the look would say nothing', async () => {
  const [row] = await database.sql`
    select income_hits('{"vertraege": [{"sparte": "hausrat", "beitrag_eur": 12, "notiz": "Rechtsschutz und Überschwemmung sind versichert."}]}') = '{}' as passed`
  expect(row?.passed).toBe(true)
})
