// The rule by itself: every form of an income goes, every look-alike stays, and a second time changes nothing.
import { expect, test } from 'bun:test'
import { useDatabase } from '../support/database/database.ts'
import {
  harmlessDocuments,
  harmlessKeys,
  harmlessTexts,
  incomeDocuments,
  incomeKeys,
  incomeTexts,
  type JsonValue,
} from '../support/income/income_cases.ts'

const database = useDatabase()

async function redact(document: JsonValue): Promise<JsonValue> {
  const [row] = await database.sql.unsafe('select redact_income($1::text::jsonb)::text as clean', [
    JSON.stringify(document),
  ])
  return JSON.parse(row?.clean)
}

async function redactText(text: string): Promise<string> {
  const [row] = await database.sql.unsafe('select redact_income($1::text) as clean', [text])
  return row?.clean
}

test.each(incomeKeys)('a number called %s goes, whatever surrounds it', async key => {
  for (const value of [31337, '31.337,77 €', { wert: 31337 }, [31337]])
    expect(await redact({ [key]: value, rest: { a: 1 } })).toEqual({ rest: { a: 1 } })
  expect(await redact({ tief: [{ tiefer: { [key]: 31337, b: 'x' } }] })).toEqual({
    tief: [{ tiefer: { b: 'x' } }],
  })
  expect(await redact({ [key]: true, n: { [key]: null } })).toEqual({
    [key]: true,
    n: { [key]: null },
  })
})

test.each(harmlessKeys)('a number called %s stays, also next to an income', async key => {
  const document = { [key]: 31337, liste: [{ [key]: 31337 }] }
  expect(await redact(document)).toEqual(document)
  expect(await redact({ ...document, gehalt: 1 })).toEqual(document)
})

test.each(incomeTexts)('%p becomes %p', async (text, cleaned) => {
  expect(await redactText(text)).toBe(cleaned)
  expect(await redact({ notiz: text })).toEqual({ notiz: cleaned })
  expect(await redactText(cleaned)).toBe(cleaned)
})

test.each(harmlessTexts)('%p stays', async text => {
  expect(await redactText(text)).toBe(text)
  expect(await redact({ notiz: text, gehalt: 1 })).toEqual({ notiz: text })
})

test.each(incomeDocuments)('%s', async (_, document, cleaned) => {
  expect(await redact(document)).toEqual(cleaned)
  expect(await redact(cleaned)).toEqual(cleaned)
})

test.each(harmlessDocuments)('%s stay', async (_, document) => {
  expect(await redact(document)).toEqual(document)
  expect(await redact({ d: document, gehalt: 1 })).toEqual({ d: document })
})
