// Every form in which an income was seen, and what only looks like one. The amount of every form is 31337.77
// or 31337 in some spelling, so that a dump can be searched for it.

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [member: string]: JsonValue }

const plainKeys =
  'bruttoeinkommen nettoeinkommen monatsnetto jahresbrutto einkommen_netto_monatlich gehalt lohn besoldung bezuege haushaltsnettoeinkommen verdienst'
const apiKeys =
  'einkommenNetto einkommenNettoMonatlich bruttoVorjahresEinkommen nettoeinkommenMonatlich bruttoEinkommenLaufendesJahr einkuenfteAusNebentaetigkeit einkuenfteAusKapitalvermoegen unbefristeteZusatzrenten ehegattenunterhalt unterhaltseinnahmenMonatlich mieteinnahmenKaltMonatlich staatlicheRenteMonatlich sonstigesEinkommenMonatlich income_monthly_net_eur salary grossSalary monthly_wage annualEarnings net_pay netMonthly netAmount gross_eur'
const shortKeys =
  'ek_netto hh_netto zve netto brutto sold wehrsold trinkgeld honorar verguetung privatentnahme gewinn_vor_steuern umsatz tantieme'
const transferKeys =
  'kindergeld elterngeld krankengeld arbeitslosengeld buergergeld bafoeg wohngeld unterhalt nettorente aktuelle_rente witwenrente pensionsbezuege kapitalertraege dividenden zinsertraege mieteinnahmen lohnsteuer_eur einkommensteuer'
const spelledKeys = [
  'Bezüge',
  'Gehälter',
  'Löhne',
  'Einkünfte',
  'BAföG',
  'Bürgergeld',
  'Vergütung',
  'NETTOEINKOMMEN',
  'Netto Einkommen',
  'netto-einkommen',
  'einkommen.netto',
  'haushalt__einkommen__netto',
  'Bezu\u0308ge',
  'Ｇｅｈａｌｔ',
  'Netto\u00adeinkommen',
  'Ge\u200bhalt',
]

/** Names of members whose number goes, wherever they stand. */
export const incomeKeys: string[] = [
  ...[plainKeys, apiKeys, shortKeys, transferKeys].flatMap(list => list.split(' ')),
  ...spelledKeys,
]

/** Names of members whose number stays. */
export const harmlessKeys: string[] =
  `steuerklasse einkommensteuerklasse nettokaltmiete monatsnettokaltmiete netto_beitrag bruttopraemie nettotarif
  vertraege_anzahl eingehalten referenten soldatenzahl bezugsberechtigt mortgage medikamenteneinnahme bu_rente_monatlich
  versicherte_rente_eur garantierte_rente_eur krankentagegeld_eur rentenbeginn renteneintrittsalter rentenluecke_eur
  wunschrente_eur gesetzliche_rente_prognose_eur lohnfortzahlung_wochen gehaltsumwandlung_beitrag_eur
  unterhaltsverpflichtung prozent_vom_netto einkommensabsicherung_eur verdienstausfall_deckung mindestlohn einkommensluecke
  versicherungssumme_eur restschuld_eur guthaben_eur beitrag_eur deckungssumme rate_monat_eur rentenfaktor belohnung_punkte
  wagenwert_eur unterhaltung gewinnspiel pensionsalter kundengewinnung pflegetagegeld zielbetrag_eur wohnflaeche_qm
  nettogrundflaeche_qm bruttorendite beziehungsdauer_jahre konto_anzahl alter`.split(/\s+/)

/** Texts with an income in them, and what is left. */
export const incomeTexts: [text: string, cleaned: string][] = [
  ['3.200 EUR netto', '[entfernt] netto'],
  ['3,2k netto', '[entfernt] netto'],
  ['65-70k brutto', '[entfernt] brutto'],
  ['85 TEUR Jahresbrutto', '[entfernt] Jahresbrutto'],
  ['Gehalt: €3200', 'Gehalt: [entfernt]'],
  ['Lohn 3.200,00 €', 'Lohn [entfernt]'],
  ['dreitausendzweihundert Euro netto', '[entfernt] netto'],
  ['drei tausend Euro Gehalt', '[entfernt] Gehalt'],
  ['Minijob 538 €', 'Minijob [entfernt]'],
  ['80 % von 3.200 EUR Nettoeinkommen', '80 % von [entfernt] Nettoeinkommen'],
  ['100 % von 3200 Gehalt', '100 % von [entfernt] Gehalt'],
  ['Sie verdient 4.200 netto.', 'Sie verdient [entfernt] netto.'],
  ['Netto 3.200 €, Beitrag 45 €', 'Netto [entfernt], Beitrag [entfernt]'],
  ['Einkommen 3.000-4.000', 'Einkommen [entfernt]'],
  ['Einkommen von 3.000 bis 4.000 Euro', 'Einkommen von [entfernt]'],
  ['Gehalt 1e3', 'Gehalt [entfernt]'],
  ['Gehalt 3 200 € seit 2019', 'Gehalt [entfernt] seit 2019'],
  ['Nettoeinkommen ca. 3.200 EUR', 'Nettoeinkommen ca. [entfernt]'],
  ['Gehalt inkl. Bonus 3.200 EUR', 'Gehalt inkl. Bonus [entfernt]'],
  ['Gehalt:\n\n3.200 EUR', 'Gehalt:\n\n[entfernt]'],
  ['Der Dienst beginnt.\nSold 3.200 EUR', 'Der Dienst beginnt.\nSold [entfernt]'],
  ['Stand 01.03.2026: Gehalt 3.200', 'Stand 01.03.2026: Gehalt [entfernt]'],
  ['Seit 2026-03-01 Gehalt 3.200', 'Seit 2026-03-01 Gehalt [entfernt]'],
  ['Bezieht eine Rente von 1.400 Euro.', 'Bezieht eine Rente von [entfernt].'],
  ['Gehalt fünfzig Euro', 'Gehalt [entfernt]'],
  ['GEHALT 3200 EUR', 'GEHALT [entfernt]'],
  ['Ｇｅｈａｌｔ ３２００', 'Gehalt [entfernt]'],
  ['Kunde mit Gehalt, Tel. 0171 3920001', 'Kunde mit Gehalt, Tel. [entfernt]'],
  ['Stundenlohn 12,50', 'Stundenlohn [entfernt]'],
  ['Gehalt ٣٢٠٠ Euro', 'Gehalt [entfernt]'],
  [
    'Die Miete kostet 900 EUR. Das Gehalt ist 3.200 EUR.',
    'Die Miete kostet 900 EUR. Das Gehalt ist [entfernt].',
  ],
  ['{"nettoeinkommen":3200,"alter":34}', '{"alter": 34}'],
  ['{"nettoein\\u006bommen":3200,"alter":34}', '{"alter": 34}'],
  ['[{"art":"Gehalt","betrag":3200}]', '[{"art": "Gehalt"}]'],
  ['"{\\"gehalt\\":3200,\\"a\\":1}"', '"{\\"a\\": 1}"'],
  [
    'Was verdienen Sie? So 3.200. Die Miete ist 900 EUR.',
    'Was verdienen Sie? So [entfernt]. Die Miete ist 900 EUR.',
  ],
  ['Antwort: {"nettoeinkommen":3200}', 'Antwort: {"nettoeinkommen":[entfernt]}'],
]

/** Texts that stay as they are. */
export const harmlessTexts: string[] = [
  '',
  'Beitrag 45 € netto',
  'Bruttoprämie 120,50 EUR im Jahr',
  'Nettokaltmiete 900 Euro',
  'BU-Rente 1.500 EUR',
  'Einkommensabsicherung ab 1.500 EUR',
  'Verträge von 2019, Deckung 3.000.000 EUR',
  'Frist wurde eingehalten, 300 Euro erstattet',
  'orientiert am gesetzlichen Mindestlohn, 1.450 EUR',
  'Rentenlücke 800 Euro, Wunschrente 2.600 Euro',
  'Lohnfortzahlung 6 Wochen',
  'Krankentagegeld 80 EUR ab Tag 43',
  'Gehaltsumwandlung mit 200 EUR Beitrag',
  'Soldat, 120 qm Wohnfläche, 3 Kinder',
  'Er verdient gut.',
  'Einkommen unbekannt',
  'Gehalt steigt seit 2019',
  'anna.netto1234@example.org',
  '+49 30 23125042',
  'Der Beitrag ist 3.200 EUR. Das Gehalt ist bekannt.',
  'Zugewinn der Kundengewinnung: 300 Punkte',
]

/** Documents with an income in them, and what is left. */
export const incomeDocuments: [what: string, document: JsonValue, cleaned: JsonValue][] = [
  ['a nested object', { einkommen: { netto: 3200 }, a: 1 }, { a: 1 }],
  [
    'an array of objects',
    { einnahmen: [{ art: 'Gehalt', betrag: 3200 }] },
    { einnahmen: [{ art: 'Gehalt' }] },
  ],
  ['an array of numbers', { einkommen_historie: [3100, 3200], a: 1 }, { a: 1 }],
  ['a band', { einkommensklasse: '3.000-4.000', a: 1 }, { a: 1 }],
  ['a sibling name', { art: 'nettoeinkommen', wert: 3200 }, { art: 'nettoeinkommen' }],
  ['a sibling name, text', { label: 'Gehalt', value: '3.200 EUR' }, { label: 'Gehalt' }],
  [
    'a sibling name, nested',
    { name: 'Gehalt', details: { zahl: 3200 } },
    { name: 'Gehalt', details: {} },
  ],
  [
    'a sibling path',
    { quellen: [{ pfad: 'haushalt.personen[0].nettoeinkommen', wert_eur: 3200 }] },
    { quellen: [{ pfad: 'haushalt.personen[0].nettoeinkommen' }] },
  ],
  [
    'a path as key',
    { 'haushalt.personen[0].nettoeinkommen': { wert: 3200, quelle: 'call' }, a: 1 },
    { 'haushalt.personen[0].nettoeinkommen': { quelle: 'call' }, a: 1 },
  ],
  [
    'a date below an income',
    { gehalt: { seit: '2024-05-01', betrag: 3200 } },
    { gehalt: { seit: '2024-05-01' } },
  ],
  [
    'a question and its answer',
    { frage: 'Wie hoch ist Ihr Nettoeinkommen?', antwort: '3.200 Euro' },
    { frage: 'Wie hoch ist Ihr Nettoeinkommen?' },
  ],
  [
    'a pair',
    {
      werte: [
        ['Nettoeinkommen', 3200],
        ['Alter', 34],
      ],
    },
    { werte: [['Nettoeinkommen'], ['Alter', 34]] },
  ],
  [
    'a table: the other cells keep their places',
    { header: ['Name', 'Nettoeinkommen', 'Alter'], data: [['Max', 3200, 34]] },
    { header: ['Name', 'Nettoeinkommen', 'Alter'], data: [['Max', null, 34]] },
  ],
  [
    'an answer in the next turn, and no turn after it',
    [{ text: 'Was verdienen Sie?' }, { text: 'So 3.200.' }, { text: 'Die Miete ist 900 EUR.' }],
    [
      { text: 'Was verdienen Sie?' },
      { text: 'So [entfernt].' },
      { text: 'Die Miete ist 900 EUR.' },
    ],
  ],
  [
    'a finding about it',
    { field_key: 'nettoeinkommen', rationale: 'Er nannte 4.200 Euro.', score: 5 },
    { field_key: 'nettoeinkommen', rationale: 'Er nannte [entfernt].', score: 5 },
  ],
  [
    'an unknown number of a person',
    { haushalt: { personen: [{ rolle: 'kunde', alter: 34, zv: 3200, x: '3.200 €' }] } },
    { haushalt: { personen: [{ rolle: 'kunde', alter: 34 }] } },
  ],
  [
    'an unknown number of a person, as path',
    { 'haushalt.personen[0].zv': { wert: 3200 }, 'haushalt.personen[0].alter': { wert: 34 } },
    { 'haushalt.personen[0].zv': {}, 'haushalt.personen[0].alter': { wert: 34 } },
  ],
  [
    'false, null, nothing and zero',
    { gehalt: false, lohn: null, netto: {}, brutto: [], bezuege: 0, honorar: '0' },
    { gehalt: false, lohn: null },
  ],
  [
    'words instead of a number',
    { gehalt: 'dreitausend', lohn: 'unbekannt' },
    { lohn: 'unbekannt' },
  ],
  ['two spellings of one name', { Bezüge: 1, bezuege: 2, a: 3 }, { a: 3 }],
  ['an element named after it', [[{ gehalt: 3200 }], [[{ netto: 1 }]]], [[{}], [[{}]]]],
  [
    'a published field',
    { haushalt: { immobilien: [{ wert_eur: 210000, mieteinnahmen_kalt_monat_eur: 640 }] } },
    { haushalt: { immobilien: [{ wert_eur: 210000 }] } },
  ],
  ['JSON in a text', { raw: '{"nettoeinkommen":3200}', a: 1 }, { raw: '{}', a: 1 }],
  ['a number where a flag belongs', { kunde_eigenes_einkommen_vorhanden: 3200, a: 1 }, { a: 1 }],
  [
    'the text of a target, not the target',
    {
      sollwert: {
        typ: 'anteil_netto',
        wert_eur: 2560,
        beschreibung: '80 % von 3.200 EUR Nettoeinkommen',
      },
    },
    {
      sollwert: {
        typ: 'anteil_netto',
        wert_eur: 2560,
        beschreibung: '80 % von [entfernt] Nettoeinkommen',
      },
    },
  ],
  [
    'a topic named after it: the target stays, what is there goes',
    {
      bewertung: {
        zeilen: [
          {
            rang: '4',
            name: 'Haushaltsnettoeinkommen',
            bedarfsstufe: 2,
            sollwert: { typ: 'absolut', wert_eur: 2560 },
            istwert: { wert_eur: 3200, quellen: [] },
          },
        ],
      },
    },
    {
      bewertung: {
        zeilen: [
          {
            rang: '4',
            name: 'Haushaltsnettoeinkommen',
            bedarfsstufe: 2,
            sollwert: { typ: 'absolut', wert_eur: 2560 },
            istwert: { quellen: [] },
          },
        ],
      },
    },
  ],
  [
    'an actual value that is the income',
    {
      istwert: {
        wert_eur: 3200,
        quellen: [
          {
            typ: 'kundenangabe',
            pfad: 'haushalt.personen[0].einkommen.netto_monat_eur',
            wert_eur: 3200,
          },
        ],
      },
    },
    {
      istwert: {
        quellen: [{ typ: 'kundenangabe', pfad: 'haushalt.personen[0].einkommen.netto_monat_eur' }],
      },
    },
  ],
]

/** Documents that stay as they are. */
export const harmlessDocuments: [what: string, document: JsonValue][] = [
  ['flags', { eigenes_einkommen_vorhanden: true, hat_einkommen: false, einkommen_stabil: true }],
  ['a kind of income', { einkommensart: 'angestellt' }],
  [
    'a topic as a value and as a key',
    {
      name: 'Einkommensabsicherung Grundschutz',
      'Einkommensabsicherung Grundschutz': { luecke_eur: 800 },
    },
  ],
  [
    'a target',
    { sollwert: { typ: 'anteil_netto', wert_eur: 2560, einheit: 'eur_monat', beschreibung: null } },
  ],
  [
    'an actual value next to an income',
    {
      istwert: {
        wert_eur: 1500,
        quellen: ['vertraege[1]', { typ: 'kundenangabe', pfad: 'haushalt.personen[0].einkommen' }],
      },
    },
  ],
  [
    'debts and assets',
    {
      verbindlichkeiten: [{ restschuld_eur: 265000, rate_monat_eur: 1180 }],
      vermoegen: [{ art: 'liquide_mittel', wert_eur: 8500 }],
    },
  ],
  [
    'provenance',
    {
      'haushalt.personen[0].alter': { wert: 34, quelle: 'call' },
      'kunde.adresse': { stand: '2026-01-01T00:00:00Z' },
    },
  ],
  ['empty things', { a: {}, b: [], c: '', d: null }],
]
