// What PostgreSQL parses of bytes from outside: identities and texts that may hold income. Many inputs a statement.
import type { Sql } from '../../src/db/connect.ts'
import { jsonValue, mutate, oddText, type Random, seeded } from '../support/fuzz/seeded.ts'

const identities = ['email:anna@example.org', '+49 171 3920001', 'lead:', 'anna@example.org']

// PostgreSQL stores neither NUL nor half a character: what reads bodies refuses both.
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed()

const identityInput = (random: Random) =>
  storable(random.below(2) === 0 ? oddText(random) : mutate(random, random.of(identities)))

const sentences = [
  'Verdient 3.200 EUR netto im Monat.',
  'income is 48,500 a year',
  'Die Miete beträgt 900 EUR, das Gehalt 3.200 EUR.',
  'Versicherungssumme 500.000 EUR',
]

const incomeInput = (random: Random) =>
  storable(
    JSON.stringify({
      notiz: mutate(random, random.of(sentences)),
      [random.of(['netto', 'einkommen', 'beitrag', 'x'])]: jsonValue(random),
    }).replaceAll('\\u0000', ''),
  ).replaceAll(/\\ud[89a-f][\da-f]{2}/g, '')

type Statement = {
  name: string
  input(random: Random): string
  /** Rows that break a promise; of the inputs in $1. */
  broken: string
}

export const statements: Statement[] = [
  {
    name: 'kontakt key',
    input: identityInput,
    broken: `
      select given from jsonb_array_elements_text($1::text::jsonb) as given, kontakt_key(given) as key
      where key is not null and (kontakt_key(key) is distinct from key or key !~ '^(email|phone|lead):.')`,
  },
  {
    name: 'income text',
    input: incomeInput,
    broken: `
      select given from jsonb_array_elements_text($1::text::jsonb) as given, redact_income(given::jsonb) as cleaned
      where redact_income(cleaned) is distinct from cleaned or jsonb_typeof(cleaned) <> 'object'`,
  },
]

/** Tries `count` inputs from `first` on; the first that breaks a promise fails it. Returns how long the statement took. */
export async function runStatement(
  sql: Sql,
  statement: Statement,
  first: number,
  count: number,
): Promise<number> {
  const inputs = Array.from({ length: count }, (_, index) => statement.input(seeded(first + index)))
  const startedAt = performance.now()
  const [found] = await sql.unsafe(statement.broken, [JSON.stringify(inputs)])
  if (found) {
    const seed = first + inputs.indexOf(found.given)
    throw new Error(JSON.stringify({ target: statement.name, seed, input: found.given }))
  }
  return performance.now() - startedAt
}
