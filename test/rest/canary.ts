// A person with one amount, written in every form into every column that may hold an income.
import type { Sql } from '../../src/db/connect.ts'

/** One amount in the forms in which incomes are written; the rule about income leaves none of it. */
const texts = [
  '31.337,77 EUR netto',
  '31,3k netto',
  '31 TEUR Jahresbrutto',
  'Gehalt 31.337,77 €',
  'einunddreißigtausenddreihundertsiebenunddreißig Euro netto',
  'Der Kunde verdient 31337.77 im Jahr. Die Wohnung hat 80 qm.',
  '80 % von 31.337,77 EUR Nettoeinkommen',
  '{"nettoeinkommen":31337.77,"alter":34}',
]
const names = `bruttoeinkommen, nettoeinkommen, gehalt, lohn, besoldung, Bezüge, haushaltsnettoeinkommen, verdienst,
  einkommenNettoMonatlich, ehegattenunterhalt, mieteinnahmenKaltMonatlich, income_monthly_net_eur, ek_netto, zve, netto,
  brutto, honorar, privatentnahme, gewinn_vor_steuern, tantieme, kindergeld, elterngeld, krankengeld, buergergeld,
  nettorente, witwenrente, pensionsbezuege, kapitalertraege, dividenden, mieteinnahmen, lohnsteuer_eur`
const incomes = {
  ...Object.fromEntries(names.split(/,\s+/).map(name => [name, 31337.77])),
  einkommen: { netto: 31337.77, brutto: { jahr: '31337' } },
  angaben: [
    { art: 'nettoeinkommen', wert: 31337.77 },
    { frage: 'Wie hoch ist Ihr Nettoeinkommen?', antwort: '31337 Euro' },
    ['Nettoeinkommen', 31337.77],
  ],
  'haushalt.personen[0].nettoeinkommen': { wert: 31337.77, quelle: 'call' },
  sollwert: { typ: 'anteil_netto', wert_eur: 2560, beschreibung: texts[6] },
  personen: [{ rolle: 'kunde', alter: 34, einkommen: { netto_monat_eur: 31337.77 } }],
  eigenes_einkommen_vorhanden: true,
  beitrag_netto: 45,
  texte: texts,
}

const finding = (field_key: string, value: unknown, rationale: string | null) => ({
  ...{ field_key, label: field_key, kind: 'fact', output_type: 'text', status: 'ready', value },
  ...{ rationale, score: null, level: null, recommendation: null, generated_at: null },
})

export async function insertCanary(sql: Sql): Promise<void> {
  const id = '00000000-0000-4000-8000-000000000ca1'
  const key = 'email:einkommen@example.org'
  const all = JSON.stringify(incomes)
  const results = [
    finding('nettoeinkommen', 31337.77, texts[5] ?? null),
    finding('notizen', incomes, texts[6] ?? null),
  ]
  const [text = '', short = ''] = texts
  await sql`insert into leads (id, name, email, parsed_data) values (${id}, ${text}, 'einkommen@example.org', ${all}::text::jsonb)`
  await sql`
    insert into lead_analyses (lead_id, channel, source_id, analysis_v2, din_check, kontakt_key)
    values (${id}, 'call', 'canary', ${all}::text::jsonb, ${all}::text::jsonb, ${key})`
  await sql`
    insert into haushalte (kontakt_key, haushalt, provenance, din_check, empfehlungen_aktuell)
    values (${key}, ${all}::text::jsonb, ${all}::text::jsonb, ${all}::text::jsonb, ${all}::text::jsonb)`
  await sql`
    insert into appointments (id, title, platform, starts_at, customer_display_name, lead_id)
    values (${id}, ${text}, 'phone', now(), ${short}, ${id})`
  await sql`
    insert into meeting_intelligence
      (appointment_id, status, customer_persona, conversation_type, summary, next_steps, results)
    values (${id}, 'ready', ${text}, ${short}, ${texts.join('. ')}, ${JSON.stringify(texts)}::text::jsonb, ${JSON.stringify(results)}::text::jsonb)`
  await sql`insert into signals (kind, title, score, lead_id, outcome) values ('x', ${text}, 1, ${id}, ${short})`
  await sql`insert into advisory_docs (title, approved_at, lead_id) values (${text}, now(), ${id})`
}
