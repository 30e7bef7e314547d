// Rows that break things, the same in every size of demo, under ids that are easy to tell apart. A column that a row does
// not name is null.
import { checkOf } from './household.ts'
import { personOf } from './people.ts'
import { profileOf, type Tables } from './rows.ts'

const id = (entity: number, n: number) =>
  `ed9e000${entity}-0000-8000-8000-${String(n).padStart(12, '0')}`
const at = (on: string) => `2025-${on}T09:00:00Z`

type Row = Record<string, string | null | undefined>

/** Rows of a text, a line each: | separates columns, empty is null, "" is the empty text, ¶ is a line break. */
const table = (columns: string, text: string): Row[] =>
  text.split('\n').map(line => {
    const cells = line
      .replace('¶', '\n')
      .split('|')
      .map(cell => (cell === '' ? null : cell === '""' ? '' : cell))
    return Object.fromEntries(columns.split(' ').map((column, place) => [column, cells[place]]))
  })

const leads = table(
  'name email phone status source_type archive_reason_code',
  `Zoë|zoe@example.org|+49 152 28817386|new|website_form
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
Archiviert Datenschutz|archiv7@example.org||new|call|gdpr_request
Nur Name|||new|manual_termin
Zwei Kanäle|zwei.kanaele@example.org||analysis_done|chat
Langes Protokoll|protokoll@example.org||analysis_done|call
Ohne DIN-Check|ohne.check@example.org||analysis_done|chat
Viele Ziffern|ziffern@example.org||analysis_done|chat
Büro Sonnenhof|buero@example.org|+49 199 0000001|won|referral
Zeile eins¶Zeile zwei|anna+makler@example.org||wiedervorlage märz|fax
Einkommen In Jeder Form|einkommen@example.org||analysis_done|call`,
)
const placeOf = (name: string) => leads.findIndex(lead => lead.name === name)
const leadId = (name: string) => id(1, 1 + placeOf(name))

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
const parsed: Record<string, object> = {
  '<img src=x onerror=alert(1)>': { anliegen: '<script>alert(1)</script>' },
  'Zeile eins\nZeile zwei': { tief: { tiefer: { 'am tiefsten': [1, [2, [3]]] } } },
  'Einkommen In Jeder Form': incomes,
}

const analyses = table(
  'name channel on',
  `Zwei Kanäle|chat|11-20
Zwei Kanäle|call|11-21
Langes Protokoll|call|11-23
Ohne DIN-Check|chat|11-24
Viele Ziffern|chat|11-26
Einkommen In Jeder Form|call|11-28`,
)
const line =
  'Den Ordner habe ich vor mir, aber bei manchen Schreiben weiß ich nicht, ob sie noch gültig sind.'
const oddities: Record<string, object> = {
  'Langes Protokoll': {
    gespraechsprotokoll: Array.from({ length: 1_600 }, (_, nr) => ({ nr, text: line })),
  },
  'Viele Ziffern': {
    vertraege: [
      {
        sparte: 'sonstige',
        beitrag_eur: '@123.4567890123456789@',
        leistungen: { summe_eur: '@9007199254740993@' },
      },
    ],
  },
  'Einkommen In Jeder Form': { gespraech: incomes },
}

const households = table(
  'kontakt_key name quelle',
  `email:buero@example.org|Büro Sonnenhof|crm_import
lead:${leadId('Nur Name')}|Nur Name|manual_termin
email:sean.o'neill@example.org|Seán O'Neill|call
email:anna+makler@example.org|Zeile eins¶Zeile zwei|kontakt_edit
email:vertrieb/nord%20_50@example.org|100% Sicher_AG|crm_import
phone:+491990000001|<img src=x onerror=alert(1)>|call
email:einkommen@example.org|Einkommen In Jeder Form|call`,
)

const appointments = table(
  'title status platform meeting_url starts_at ends_at customer_display_name intelligence_status',
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
Einkommen in jeder Form|completed|phone||2025-12-12T09:00:00Z||Einkommen In Jeder Form|ready`,
)
const isRaw = ({ title }: Row) => title === 'Einkommen in jeder Form'

/** Every member, as the table wants them. */
const entry = (
  field_key: string,
  output_type: string,
  value: unknown,
  rationale: string | null = null,
) => {
  const rest = {
    score: '@99.999999999999999999@',
    level: null,
    recommendation: null,
    generated_at: at('12-12'),
  }
  return {
    field_key,
    label: field_key,
    kind: 'fact',
    output_type,
    status: 'ready',
    value,
    rationale,
    ...rest,
  }
}
const results = [
  entry('text', 'text', 'Größe & <b>Maße</b> \\ "Zitat" 🦊'),
  entry('zahl', 'number', '@12345678901234567890.123456789@'),
  entry('liste', 'list', ['a', 1, null, [true]]),
  entry('objekt', 'object', { tief: { tiefer: {} } }),
  entry('nichts', 'text', null),
  entry('summary', 'text', 'Die Zusammenfassung der Liste.'),
]
const rawResults = [
  entry('nettoeinkommen', 'number', 31337.77, texts[5]),
  entry('notizen', 'object', incomes, texts[6]),
]

const signals = table(
  'title status score name kontakt_key',
  `Ein Drittel|open|@33.333333333333333333@|Zoë|email:zoe@example.org
Unter null|dismissed|-12.5|Ayşe Öztürk|email:ayse.oeztuerk@example.com
Größte Zahl|resolved|1000000|Groß|
<img src=x onerror=alert(1)>|open|0.1|<img src=x onerror=alert(1)>|
""|done|@0.000000000000000001@||`,
)

/** The office with 250 keys of all three kinds: seven digits after +49199, where everyday people have eight. */
const officeKey = (n: number) => {
  if (n <= 200) return `email:buero.platz${n}@example.org`
  return n <= 230 ? `phone:+491990000${n}` : `lead:${id(1, 1_000 + n)}`
}

const personNamed = (name: string | null | undefined) => ({
  ...personOf(300),
  name: name ?? '',
  email: leads[placeOf(name ?? '')]?.email ?? null,
  household: 300,
})

export function edgeRows(): Tables {
  const when = at('11-28')
  return {
    leads: leads.map((lead, index) => ({
      ...lead,
      id: id(1, index + 1),
      archived_at: lead.archive_reason_code && at('12-01'),
      parsed_data: parsed[lead.name ?? ''],
      created_at: `2025-11-11T10:${10 + index}:00.000001Z`,
    })),
    lead_analyses: analyses.map(({ name, channel, on }, index) => ({
      id: id(2, index + 1),
      lead_id: leadId(name ?? ''),
      channel,
      source_id: `edge_${index + 1}`,
      analysis_v2: { ...profileOf(personNamed(name), at(on ?? '')), ...oddities[name ?? ''] },
      din_check: name === 'Ohne DIN-Check' ? null : checkOf(300, at(on ?? '')),
      created_at: at(on ?? ''),
      kontakt_key: `email:${personNamed(name).email}`,
    })),
    haushalte: households.map(({ name, ...row }) => {
      const forms = row.kontakt_key === 'email:einkommen@example.org' ? incomes : {}
      return {
        ...row,
        haushalt: { ...forms, ...profileOf(personNamed(name), when) },
        provenance: { ...forms, 'kunde.name': { quelle: row.quelle, stand: when } },
        din_check: { ...forms, ...checkOf(300, when) },
        empfehlungen_aktuell: { ...forms, stand: when },
        updated_at: when,
      }
    }),
    kontakt_aliases: [
      ...Array.from({ length: 250 }, (_, n) => [officeKey(n + 1), 'email:buero@example.org']),
      ['phone:+4915228817386', 'email:zoe@example.org'],
    ].map(([alias_key, canonical_key]) => ({ alias_key, canonical_key, created_at: when })),
    appointments: appointments.map((row, index) => ({
      ...row,
      id: id(3, index + 1),
      created_at: at('10-01'),
      lead_id: row.customer_display_name && leadId(row.customer_display_name),
    })),
    meeting_intelligence: appointments.flatMap((row, index) =>
      /ready|failed/.test(row.intelligence_status ?? '')
        ? {
            appointment_id: id(3, index + 1),
            status: row.intelligence_status,
            failure_reason: row.intelligence_status === 'failed' ? 'no_recording' : null,
            overall_score: '@66.66666666666666666666666666666667@',
            customer_persona: isRaw(row) ? texts[0] : null,
            conversation_type: isRaw(row) ? texts[3] : null,
            summary: isRaw(row) ? texts.join('. ') : null,
            next_steps: isRaw(row) ? texts : [],
            results: isRaw(row) ? rawResults : results,
            created_at: at('12-12'),
          }
        : [],
    ),
    signals: signals.map(({ name, ...row }, index) => ({
      ...row,
      id: id(4, index + 1),
      kind: 'deckungsluecke',
      lead_id: name && leadId(name),
      detected_at: at('12-16'),
      updated_at: at('12-16'),
    })),
    advisory_docs: [
      {
        id: id(5, 1),
        title: 'Verschickt ohne Freigabe',
        sent_at: at('12-17'),
        created_at: at('12-17'),
      },
      {
        id: id(5, 2),
        title: '<img src=x onerror=alert(1)>',
        lead_id: id(1, 1),
        created_at: at('12-17'),
      },
    ],
  }
}
