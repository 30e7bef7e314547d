// GET /schemas/analysis: schemas that compile strictly, that say what never arrives, and that the workspace's own
// documents fit, nested and flat.
import { beforeAll, expect, test } from 'bun:test'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { demoTemplate } from '../support/database/database.ts'
import * as factory from '../support/database/factory.ts'
import { useService } from '../support/http/service.ts'

const api = useService({}, demoTemplate)

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema has every shape
type Schema = Record<string, any>
let data: Schema
let compiled: ReturnType<typeof compile>

/** Strict, as it comes: an unknown keyword, an unknown format or a type that does not fit is an error. */
function compile() {
  const ajv = new Ajv2020({ strict: true, allErrors: true })
  addFormats(ajv)
  // The two annotations that the answer explains.
  ajv.addKeyword({ keyword: 'x-datenklasse', schemaType: 'string' })
  ajv.addKeyword({ keyword: 'x-redacted', schemaType: 'boolean' })
  const checkDocument = ajv.compile(data.din_check)
  return {
    nested: ajv.compile(data.extraktion),
    check: checkDocument,
    flat: ajv.compile(data.flach.schema),
    errors: () => ajv.errorsText(),
  }
}

beforeAll(async () => {
  data = (await api.send('/schemas/analysis')).body.data
  for (const schema of [data.extraktion, data.din_check, data.flach.schema])
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
  compiled = compile()
}, 120_000)

test('every fragment is named with its version and stands in the core', () => {
  expect(Object.keys(data.versionen.fragmente).toSorted().join(' ')).toBe(
    'altersvorsorge berufsunfaehigkeit hausrat kfz krankenversicherung pflege privathaftpflicht rechtsschutz risikoleben unfall wohngebaeude',
  )
  for (const [name, fragment] of Object.entries<string>(data.versionen.fragmente))
    expect([name, data.extraktion.properties.produkte.properties[name]]).toEqual([
      name,
      { $ref: `#/$defs/${fragment}` },
    ])
})

test('income fields are listed, and flagged as never delivered', () => {
  const person = data.extraktion.properties.haushalt.properties.personen.items.properties
  const flagged = { 'x-datenklasse': 'einkommen_roh', 'x-redacted': true }
  expect(person.einkommen).toMatchObject(flagged)
  expect(Object.keys(person.einkommen.properties)).toEqual([
    'netto_monat_eur',
    'brutto_jahr_eur',
    'nebeneinkuenfte_monat_eur',
    'rente_bezogen_monat_eur',
    'privatentnahme_monat_eur',
  ])
  for (const field of Object.values(person.einkommen.properties))
    expect(field).toMatchObject(flagged)
  expect(person.eigenes_einkommen_vorhanden['x-redacted']).toBeUndefined()
})

const documents = async (
  column: string,
  table: string,
): Promise<[id: string, document: unknown][]> => {
  const rows = await api.sql.unsafe(
    `select ${table}::text as row, ${column}::text as document from ${table} where ${column} is not null`,
  )
  return rows.map(row => [String(row.row).slice(0, 40), JSON.parse(row.document)])
}

test.each([
  ['nested', 'analysis_v2', 'lead_analyses', 90],
  ['flat', 'analysis', 'lead_analyses', 90],
  ['check', 'din_check', 'lead_analyses', 90],
  ['nested', 'haushalt', 'haushalte', 200],
  ['check', 'din_check', 'haushalte', 90],
] as const)('the %s form describes every %s of %s', async (form, column, table, least) => {
  const validate = compiled[form]
  const found = await documents(column, table)
  expect(found.length).toBeGreaterThan(least)
  const misfits = found.flatMap(([id, document]) => {
    if (validate(document)) return []
    return [[id, validate.errors?.map(error => `${error.instancePath} ${error.message}`)]]
  })
  expect(misfits).toEqual([])
})

test('the schemas refuse what is not of their form', () => {
  const { nested, check, flat } = compiled
  expect(nested({ meta: {}, kunde: {}, haushalt: {}, vertraege: [] })).toBe(false)
  expect(check({ erstellt_am: 'gestern', bewertung: {} })).toBe(false)
  expect(flat({ kunde_alter: 34 })).toBe(false)
})

test('the projection has exactly the published columns, whatever there is to project', async () => {
  const columns = data.flach.columns.map(({ key }: Schema) => key).sort()
  const validate = compiled.flat
  for (const given of [
    null,
    {},
    { haushalt: 7, vertraege: 'x' },
    { kunde: { alter: 'alt', name: 3 } },
  ]) {
    const [row] = await api.sql.unsafe(
      'select analysis_flat($1::text::jsonb, $1::text::jsonb)::text as flat',
      [given === null ? null : JSON.stringify(given)],
    )
    const flat = JSON.parse(row?.flat)
    expect(Object.keys(flat).sort()).toEqual(columns)
    expect([given, validate(flat)]).toEqual([given, true])
  }
})

test('of several contracts of a branch an active one comes first, then the newest, then by its text', async () => {
  const contract = (versicherer: string, status: string, beginn: string | null) => ({
    sparte: 'hausrat',
    versicherer,
    status,
    beginn,
  })
  const first = async (...vertraege: unknown[]) => {
    const [row] = await api.sql.unsafe(
      `select analysis_flat($1::text::jsonb, null) ->> 'vertrag_hausrat_versicherer' as versicherer`,
      [JSON.stringify({ vertraege })],
    )
    return row?.versicherer
  }
  const old = contract('Alt AG', 'aktiv', '2001-01-01')
  const given = contract('Neu AG', 'gekuendigt', '2024-01-01')
  expect(await first(given, old)).toBe('Alt AG')
  expect(await first(given, contract('Ohne AG', 'gekuendigt', null))).toBe('Neu AG')
  expect(await first(old, contract('Jung AG', 'aktiv', '2020-01-01'))).toBe('Jung AG')
  expect(await first(contract('B AG', 'aktiv', null), contract('A AG', 'aktiv', null))).toBe('A AG')
})

const flatOf = async (id: string) =>
  JSON.parse(
    (await api.sql`select analysis::text as flat from lead_analyses where id = ${id}`)[0]?.flat,
  )

test('a writer may leave the projection out; it follows until a writer brings one along', async () => {
  const lead = await factory.lead(api.sql)
  const id = crypto.randomUUID()
  await api.sql.unsafe(
    `insert into lead_analyses (id, lead_id, channel, source_id, analysis_v2)
     values ('${id}', '${lead.id}', 'chat', 'flat', '{"kunde": {"alter": 34}, "haushalt": {"personen": [{"rolle": "kunde", "kv_status": "pkv", "einkommen": {"netto_monat_eur": 31337}}]}}')`,
  )
  expect(await flatOf(id)).toMatchObject({
    kunde_alter: 34,
    kunde_kv_status: 'pkv',
    vertraege_anzahl: 0,
    partner_alter: null,
  })
  await api.sql`update lead_analyses set analysis_v2 = '{"kunde": {"alter": 35}}' where id = ${id}`
  expect(await flatOf(id)).toMatchObject({ kunde_alter: 35, kunde_kv_status: null })
  await api.sql`update lead_analyses set analysis = '{"eigenes": 1}' where id = ${id}`
  await api.sql`update lead_analyses set analysis_v2 = '{"kunde": {"alter": 36}}' where id = ${id}`
  expect(await flatOf(id)).toEqual({ eigenes: 1 })
  await api.sql`update lead_analyses set analysis = null where id = ${id}`
  expect(await flatOf(id)).toMatchObject({ kunde_alter: 36 })
  const { body } = await api.send(`/leads/${lead.id}/analysis`)
  expect(body.data.analysis.kunde_alter).toBe(36)
})
