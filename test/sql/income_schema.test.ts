// The rule and the published schemas cannot drift apart: its generated part is made from them.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Sql } from '../../src/db/connect.ts'
import { useDatabase } from '../support/database/database.ts'
import { rolledBack } from '../support/database/rolled_back.ts'
import type { JsonValue } from '../support/income/income_cases.ts'
import {
  generatedPart,
  incomeSchemaPath,
  incomeTree,
  type Published,
  published,
  withGeneratedPart,
} from '../support/income/income_rule.ts'

const database = useDatabase()

test('the file holds what its schemas make (bun run income writes it)', () => {
  const text = readFileSync(incomeSchemaPath, 'utf8')
  expect(withGeneratedPart(text)).toBe(text)
})

test('every field is known with its class, through references and alternatives', () => {
  expect(incomeTree(published())).toMatchObject({
    kunde: { alter: 'n', name: 's' },
    haushalt: { personen: { alter: 'n', einkommen: 'x', eigenes_einkommen_vorhanden: 'b' } },
    produkte: { berufsunfaehigkeit: { rente_monat_eur: 'n' } },
    din_check: {
      bewertung: {
        zeilen: { sollwert: { wert_eur: 'n' }, istwert: { quellen: { wert_eur: 'n' } } },
      },
    },
    bewertung: { zeilen: { rang: 's' } },
    kunde_alter: 'n',
    analysis: { haushalt: { einnahmen: 'x' } },
    results: { score: 'n' },
  })
})

/** What the rule leaves of a document when the schemas are these. */
async function redactUnder(schemas: Published, document: JsonValue): Promise<JsonValue> {
  let clean: JsonValue = null
  const functions = generatedPart(schemas)
  await rolledBack(database.sql, async (sql: Sql) => {
    await sql.unsafe(functions)
    // The planner has put the old patterns into plans that this session keeps.
    await sql.unsafe('discard plans')
    const [row] = await sql.unsafe('select redact_income($1::text::jsonb)::text as clean', [
      JSON.stringify(document),
    ])
    clean = JSON.parse(row?.clean)
  })
  return clean
}

const person = (schemas: Published) =>
  schemas.extraktion.properties.haushalt.properties.personen.items.properties

test('a field that the schema flags goes, on its path and under its name elsewhere', async () => {
  const document = {
    haushalt: { personen: [{ rolle: 'kunde', alter: 34, taschenwert_eur: 31337 }] },
    taschenwert_eur: 31337,
    a: 1,
  }
  const before = {
    haushalt: { personen: [{ rolle: 'kunde', alter: 34 }] },
    taschenwert_eur: 31337,
    a: 1,
  }
  expect(await redactUnder(published(), document)).toEqual(before)
  const schemas = published()
  person(schemas).taschenwert_eur = {
    type: ['number', 'null'],
    'x-datenklasse': 'einkommen_roh',
    'x-redacted': true,
  }
  expect(await redactUnder(schemas, document)).toEqual({
    haushalt: { personen: [{ rolle: 'kunde', alter: 34 }] },
    a: 1,
  })
})

test('a field that is published without a flag stays', async () => {
  const document = {
    haushalt: {
      personen: [{ rolle: 'kunde', kinderzahl_wunsch: 2 }],
      immobilien: [{ mieteinnahmen_kalt_monat_eur: 640 }],
    },
  }
  expect(await redactUnder(published(), document)).toEqual({
    haushalt: { personen: [{ rolle: 'kunde' }], immobilien: [{}] },
  })
  const schemas = published()
  person(schemas).kinderzahl_wunsch = { type: ['integer', 'null'] }
  const { immobilien } = schemas.extraktion.properties.haushalt.properties
  immobilien.items.properties.mieteinnahmen_kalt_monat_eur = { type: ['number', 'null'] }
  expect(await redactUnder(schemas, document)).toEqual(document)
})
