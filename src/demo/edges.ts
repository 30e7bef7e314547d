// Rows that break things, the same in every size of demo, under ids that are easy to tell apart.

import { checkOf } from './household.ts'
import type { Person } from './people.ts'
import { personOf } from './people.ts'
import { profileOf, type Tables } from './rows.ts'

const id = (entity: number, n: number) =>
  `ed9e000${entity}-0000-8000-8000-${String(n).padStart(12, '0')}`
const lead = (n: number | null) => n && id(1, n)
const at = (on: string) => `2025-${on}T09:00:00Z`

/** name | email | phone | status | source | reason of an archived lead. Empty is null, "" is the empty text. */
const leads = `Zoë|zoe@example.org|+49 152 28817386|new|website_form
Ayşe Öztürk|ayse.oeztuerk@example.com||contacted|chat
Groß|gross@example.org||qualified|call
Seán O'Neill|sean.o'neill@example.org||offer|website_form
Meier-Lüdenscheidt|Meier-Luedenscheidt@Example.org|0152/28817386|won|referral
Ju\u0308rgen Mu\u0308ller-Groß|nfd@example.org||new|website_form
Fuchs 🦊|fuchs@example.org||new|social_ads
${'Ottokar Emanuel Friedrich '.repeat(8)}|ottokar@example.org||new|website_form
100% Sicher_AG|hundert@example.org||new|website_form
Back\\slash GmbH|backslash@example.org||new|website_form
<img src=x onerror=alert(1)>|markup@example.org||new|website_form
""|""|""|new|""
|||new|
Archiviert Nicht Erreichbar|archiv2@example.org||contacted|chat|not_reachable
Archiviert Doppelt|archiv3@example.org||new|crm_import|duplicate
Archiviert Datenschutz|archiv7@example.org||new|call|gdpr_request
Nur Name|||new|manual_termin
Zwei Kanäle|zwei.kanaele@example.org||analysis_done|chat
Langes Protokoll|protokoll@example.org||analysis_done|call
Ohne DIN-Check|ohne.check@example.org||analysis_done|chat
Viele Ziffern|ziffern@example.org||analysis_done|chat
Büro Sonnenhof|buero@example.org|+49 199 0000001|won|referral
Zeile eins\nZeile zwei|anna+makler@example.org||wiedervorlage märz|fax
Einkommen In Jeder Form|einkommen@example.org||analysis_done|call`
  .split(/\n(?=.*\|)/)
  .map(line => line.split('|').map(cell => (cell === '' ? null : cell === '""' ? '' : cell)))

const numberOf = (name: string) => 1 + leads.findIndex(([found]) => found === name)

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
  einnahmen: [{ art: 'Gehalt', betrag: 31337.77 }],
  angaben: [
    { art: 'nettoeinkommen', wert: 31337.77 },
    { label: 'Gehalt', value: '31.337,77 EUR' },
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

const person = (name: string | null, email: string | null): Person => ({
  ...personOf(300),
  name: name ?? '',
  email,
  phone: null,
  household: 300,
})

const parsed: Record<string, object> = {
  Zoë: { vorname: 'Zoë' },
  '<img src=x onerror=alert(1)>': { anliegen: '<script>alert(1)</script>' },
  'Zeile eins\nZeile zwei': { tief: { tiefer: { 'am tiefsten': [1, [2, [3]]] } } },
  'Einkommen In Jeder Form': incomes,
}

/** name of the lead | channel | day. What is odd follows from the name. */
const analyses: [name: string, channel: string, on: string][] = [
  ['Zwei Kanäle', 'chat', '11-20'],
  ['Zwei Kanäle', 'call', '11-21'],
  ['Langes Protokoll', 'call', '11-23'],
  ['Ohne DIN-Check', 'chat', '11-24'],
  ['Viele Ziffern', 'chat', '11-26'],
  ['Einkommen In Jeder Form', 'call', '11-28'],
]
const digits = {
  sparte: 'sonstige',
  beitrag_eur: '@123.4567890123456789@',
  leistungen: {
    guthaben_eur: '@9007199254740993@',
    summe_eur: '@123456789012345678901234567890.12345@',
  },
}
const oddities: Record<string, object> = {
  'Langes Protokoll': {
    gespraechsprotokoll: Array.from({ length: 1_400 }, (_, nr) => ({
      nr,
      sprecher: nr % 2 ? 'kunde' : 'berater',
      text: 'Den Ordner habe ich vor mir, aber bei manchen Schreiben weiß ich nicht, ob sie noch gültig sind.',
    })),
  },
  'Viele Ziffern': { vertraege: [digits] },
  'Einkommen In Jeder Form': { gespraech: incomes },
}

const households: [key: string, name: string, quelle: string][] = [
  ['email:buero@example.org', 'Büro Sonnenhof', 'crm_import'],
  [`lead:${lead(numberOf('Nur Name'))}`, 'Nur Name', 'manual_termin'],
  ["email:sean.o'neill@example.org", "Seán O'Neill", 'call'],
  ['email:anna+makler@example.org', 'Zeile eins\nZeile zwei', 'kontakt_edit'],
  ['email:vertrieb/nord%20_50@example.org', '100% Sicher_AG', 'crm_import'],
  ['phone:+491990000001', '<img src=x onerror=alert(1)>', 'call'],
  ['email:einkommen@example.org', 'Einkommen In Jeder Form', 'call'],
]

/** title | status | platform | link | start | end | customer | state of the findings. */
const appointments =
  `Umstellung auf Sommerzeit|scheduled|zoom|https://zoom.example.org/j/1|2026-03-29T01:30:00Z||Zoë|
Doppelte Stunde, erste|completed|phone||2025-10-26T00:30:00Z|2025-10-26T01:00:00Z|Groß|
Doppelte Stunde, zweite|completed|phone||2025-10-26T01:30:00Z|2025-10-26T02:00:00Z|Groß|
Endet vor dem Anfang|completed|in_person||2025-12-03T09:00:00Z|2025-12-03T08:00:00Z||
|scheduled|zoom||2026-03-05T09:00:00Z|||
Auswertung gescheitert|completed|ms_teams||2025-12-04T09:00:00Z||Ayşe Öztürk|failed
Auswertung steht aus|completed|ms_teams||2026-02-27T09:00:00Z||Ayşe Öztürk|pending
Ergebnisse jeder Art|completed|zoom||2025-12-05T09:00:00Z||Zwei Kanäle|ready
Gleichzeitig A|cancelled|zoom||2025-12-09T09:00:00Z|||
Gleichzeitig B|rescheduled|brieftaube||2025-12-09T09:00:00Z||Fuchs 🦊|unbekannt
Rückruf|completed|phone|tel:+4915228817386|2025-12-10T09:00:00.123456Z||Meier-Lüdenscheidt|
Einkommen in jeder Form|completed|phone||2025-12-12T09:00:00Z||Einkommen In Jeder Form|ready`
    .split('\n')
    .map(line => line.split('|').map(cell => cell || null))

const entry = (field_key: string, output_type: string, value: unknown, rest: object = {}) => ({
  field_key,
  label: field_key,
  kind: 'fact',
  output_type,
  status: value === null ? 'missing' : 'ready',
  value,
  score: null,
  level: null,
  rationale: null,
  recommendation: null,
  generated_at: at('12-12'),
  ...rest,
})
const results: Record<string, object[]> = {
  'Ergebnisse jeder Art': [
    entry('text', 'text', 'Größe & <b>Maße</b> \\ "Zitat" 🦊', {
      score: '@99.999999999999999999@',
    }),
    entry('zahl', 'number', '@12345678901234567890.123456789@', { score: -1.5 }),
    entry('ja', 'boolean', true),
    entry('nichts', 'text', null),
    entry('liste', 'list', ['a', 1, null, [true]]),
    entry('objekt', 'object', { tief: { tiefer: {} } }),
    entry('summary', 'text', 'Die Zusammenfassung der Liste.'),
  ],
  'Einkommen in jeder Form': [
    entry('nettoeinkommen', 'number', 31337.77, { rationale: texts[5], recommendation: texts[3] }),
    entry('notizen', 'object', incomes, { rationale: texts[6] }),
  ],
}

const signals: [
  title: string,
  status: string,
  score: unknown,
  of: string | null,
  key: string | null,
][] = [
  ['Ein Drittel', 'open', '@33.333333333333333333@', 'Zoë', 'email:zoe@example.org'],
  ['Unter null', 'dismissed', -12.5, 'Ayşe Öztürk', 'email:ayse.oeztuerk@example.com'],
  ['Größte Zahl', 'resolved', 1_000_000, 'Groß', null],
  ['Weder Lead noch Kontakt', 'open', 50, null, null],
  ['<img src=x onerror=alert(1)>', 'open', 0.1, '<img src=x onerror=alert(1)>', null],
  ['', 'done', '@0.000000000000000001@', null, null],
]

/** The office with 250 keys of all three kinds: seven digits after +49199, where everyday people have eight. */
const officeKey = (n: number) => {
  if (n <= 200) return `email:buero.platz${n}@example.org`
  return n <= 230 ? `phone:+491990000${String(n).padStart(3, '0')}` : `lead:${id(1, 1_000 + n)}`
}

export function edgeRows(): Tables {
  const when = at('11-28')
  return {
    leads: leads.map(([name, email, phone, status, source_type, reason], index) => ({
      id: id(1, index + 1),
      name,
      email,
      phone,
      status,
      source_type,
      contacted_at: status === 'contacted' ? '2025-11-12T09:00:00.123456Z' : null,
      archived_at: reason ? at('12-01') : null,
      archive_reason_code: reason ?? null,
      parsed_data: parsed[name ?? ''] ?? null,
      created_at: `2025-11-11T10:${String(index).padStart(2, '0')}:00.000001Z`,
      product_domain: status === 'analysis_done' ? 'altersvorsorge' : null,
      session_id: null,
    })),
    lead_analyses: analyses.map(([name, channel, on], index) => {
      const email = leads[numberOf(name) - 1]?.[1] ?? null
      return {
        id: id(2, index + 1),
        lead_id: lead(numberOf(name)),
        channel,
        source_id: `edge_${index + 1}`,
        analysis_schema_version: 'din_core_v2+altersvorsorge_v1',
        analysis: null,
        analysis_v2: { ...profileOf(person(name, email), at(on)), ...oddities[name] },
        din_check: name === 'Ohne DIN-Check' ? null : checkOf(300, at(on)),
        created_at: at(on),
        session_id: null,
        kontakt_key: `email:${email}`,
      }
    }),
    haushalte: households.map(([kontakt_key, name, quelle]) => {
      const forms = kontakt_key === 'email:einkommen@example.org' ? incomes : {}
      return {
        kontakt_key,
        haushalt: { ...forms, ...profileOf(person(name, null), when) },
        provenance: { ...forms, 'kunde.name': { quelle, stand: when } },
        din_check: { ...forms, ...checkOf(300, when) },
        empfehlungen_aktuell: { ...forms, stand: when, empfehlungen: [] },
        quelle,
        updated_at: when,
      }
    }),
    kontakt_aliases: [
      ...Array.from({ length: 250 }, (_, n) => [officeKey(n + 1), 'email:buero@example.org']),
      ['phone:+4915228817386', 'email:zoe@example.org'],
    ].map(([alias_key, canonical_key]) => ({ alias_key, canonical_key, created_at: when })),
    appointments: appointments.map((cells, index) => {
      const [title, status, platform, meeting_url, starts_at, ends_at, name, found] = cells
      return {
        id: id(3, index + 1),
        title,
        status,
        platform,
        meeting_url,
        starts_at,
        ends_at,
        customer_display_name: name,
        source: 'calendar',
        intelligence_status: found,
        created_at: at('10-01'),
        lead_id: name ? lead(numberOf(name)) : null,
        session_id: null,
      }
    }),
    meeting_intelligence: appointments.flatMap(([title, , , , , , , status], index) => {
      if (status !== 'ready' && status !== 'failed') return []
      const raw = title === 'Einkommen in jeder Form'
      return {
        appointment_id: id(3, index + 1),
        status,
        failure_reason: status === 'failed' ? 'no_recording' : null,
        overall_score: status === 'failed' ? null : '@66.66666666666666666666666666666667@',
        customer_persona: raw ? texts[0] : null,
        conversation_type: raw ? texts[3] : null,
        summary: raw ? texts.join('. ') : null,
        next_steps: raw ? texts : [],
        results: results[title ?? ''] ?? [],
        created_at: at('12-12'),
      }
    }),
    signals: signals.map(([title, status, score, of, kontakt_key], index) => ({
      id: id(4, index + 1),
      kind: 'deckungsluecke',
      title,
      status,
      score,
      lead_id: of && lead(numberOf(of)),
      detected_at: at('12-16'),
      updated_at: at('12-16'),
      kontakt_key,
      quelle: null,
      outcome: null,
    })),
    advisory_docs: [
      [null, null, null],
      ['Verschickt ohne Freigabe', null, at('12-17')],
      ['<img src=x onerror=alert(1)>', at('12-17'), at('12-17')],
    ].map(([title, approved_at, sent_at], index) => ({
      id: id(5, index + 1),
      lead_id: index ? lead(1) : null,
      title,
      approved_at,
      sent_at,
      created_at: at('12-17'),
    })),
  }
}
