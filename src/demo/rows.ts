// The everyday rows of the demo: what comes with leads `first` to `last` of `total`. Ids and keys follow from the number.
import {
  between,
  chance,
  commonOf,
  day,
  iso,
  minute,
  oneOf,
  pick,
  shareOf,
  today,
  uuid,
} from './draw.ts'
import { checkOf, householdOf } from './household.ts'
import { aliasesOf, type Person, personOf } from './people.ts'

export type Tables = Record<
  | 'leads'
  | 'lead_analyses'
  | 'haushalte'
  | 'kontakt_aliases'
  | 'appointments'
  | 'meeting_intelligence'
  | 'signals'
  | 'advisory_docs',
  object[]
>

/** Above this the demo is thinner: documents of 20 KB are most of the work. It makes no events either. */
export const fullLeadsMax = 10_000

/** Nine of 50 leads come from a person who wrote shortly before. */
const comesAgain = (n: number) => n > 1 && (n % 50) % 6 === 0

function authorOf(n: number): number {
  let author = comesAgain(n) ? Math.max(1, n - 1 - pick('again', n, 30)) : n
  while (comesAgain(author)) author -= 1
  return author
}

const fragments = [
  'altersvorsorge',
  'berufsunfaehigkeit',
  'privathaftpflicht',
  'kfz',
  'hausrat',
  null,
]
const wishes = [
  'Möchte bestehende Verträge prüfen lassen',
  'Bittet um Rückruf am Nachmittag',
  'Hat geheiratet und will den Schutz anpassen',
  'Zieht um und braucht neuen Schutz',
  'Interessiert sich für Altersvorsorge',
]
const quelle = (seed: string, n: number) =>
  shareOf(seed, n, 'chat 28, call 22, crm_import 25, kontakt_edit 15, manual_termin 10')

/** As typed: +49 30 23125042, 030 23125042, 030/23125042, +493023125042. */
function spelled(phone: string | null, n: number): string | null {
  const digits = /^\+49(30|69|40|89|\d{3})(\d+)$/.exec(phone ?? '')
  if (!digits) return phone
  const [, area, rest] = digits
  return oneOf('spelling', n, [
    `+49 ${area} ${rest}`,
    `0${area} ${rest}`,
    `0${area}/${rest}`,
    phone,
  ])
}

const kundeOf = (person: Person, alter: number) => ({
  name: person.name,
  alter,
  adresse: { strasse: person.strasse, plz: person.plz, ort: person.ort, land: 'DE' },
  kontakt: { telefon: person.phone, email: person.email },
})

export const profileOf = (person: Person, erstellt_am: string) => {
  const { alter, haushalt, vertraege } = householdOf(person.household)
  const meta = { version: 'din_core_v2', erstellt_am }
  return { meta, kunde: kundeOf(person, alter), haushalt, vertraege }
}

/** Two imports of 8 % each took some minutes; the others came one by one over two years. */
function createdAt(n: number, total: number): number {
  const share = n / total
  const spread = (at: number) => today - 730 * day * (1 - at) - minute * pick('minute', n, 600)
  for (const from of [0.4, 0.8])
    if (share > from && share <= from + 0.08)
      return spread(from) - (spread(from) % minute) + (pick('import', n, 600) > 300 ? 0 : n * 100)
  return Math.min(spread(share), today - minute)
}

const isImported = (n: number, total: number) =>
  (n / total) % 0.4 > 0 && Math.floor((n / total) * 100) % 40 < 8 && n / total > 0.4

function leadOf(n: number, total: number, person: Person) {
  const created = createdAt(n, total)
  const imported = isImported(n, total)
  const status = shareOf(
    'status',
    n,
    'new 22, contacted 18, qualified 14, appointment_scheduled 12, analysis_done 13, offer 8, won 8, lost 5',
  )
  const other = 'website_form 33, chat 26, call 20, referral 10, manual_termin 6, social_ads 5'
  const source_type = imported ? 'crm_import' : shareOf('source', n, other)
  const archived = chance('archived', n, 12)
  const reasons = 'no_interest 38, not_reachable 34, invalid_contact 12, won_elsewhere 10, spam 6'
  return {
    id: uuid('lead', n),
    name: person.name,
    email: person.email,
    phone: spelled(person.phone, n),
    status,
    source_type,
    contacted_at: status === 'new' ? null : iso(between('contacted', n, created, today)),
    archived_at: archived ? iso(between('archived_at', n, created, today)) : null,
    archive_reason_code: archived ? shareOf('reason', n, reasons) : null,
    parsed_data: chance('unparsed', n, 15)
      ? null
      : {
          vorname: person.vorname,
          nachname: person.nachname,
          plz: person.plz,
          ort: person.ort,
          ...(imported
            ? { crm_id: `K-${String(n).padStart(7, '0')}` }
            : {
                anliegen: oneOf('wish', n, wishes),
                einwilligung_kontakt: chance('consent', n, 94),
              }),
        },
    created_at: iso(created),
    product_domain: oneOf('product', n, fragments),
    session_id: source_type === 'chat' || source_type === 'call' ? uuid('session', n) : null,
  }
}

type Lead = ReturnType<typeof leadOf>

function analysisOf(n: number, lead: Lead, person: Person) {
  const at = iso(between('analysis.at', n, Date.parse(lead.created_at), today))
  const channel = chance('analysis.channel', n, 55) ? 'chat' : 'call'
  return {
    id: uuid('analysis', n),
    lead_id: lead.id,
    channel,
    source_id: `${channel}_${String(n).padStart(9, '0')}`,
    analysis_schema_version: `din_core_v2+${lead.product_domain ?? 'altersvorsorge'}_v1`,
    analysis: null,
    analysis_v2: profileOf(person, at),
    din_check: checkOf(person.household, at),
    created_at: at,
    session_id: uuid('session', n),
    kontakt_key: person.kontakt_key,
  }
}

function haushaltOf(n: number, lead: Lead, person: Person, checked: boolean) {
  const at = iso(between('haushalt.at', n, Date.parse(lead.created_at), today))
  const origin = lead.source_type === 'crm_import' ? 'crm_import' : quelle('haushalt.quelle', n)
  const stand = { quelle: origin, stand: at }
  return {
    kontakt_key: person.kontakt_key,
    haushalt: profileOf(person, at),
    provenance: { 'kunde.name': stand, 'kunde.adresse': stand, 'vertraege[0]': stand },
    din_check: checked ? checkOf(person.household, at) : null,
    empfehlungen_aktuell: checked
      ? { stand: at, empfehlungen: householdOf(person.household).empfehlungen }
      : null,
    quelle: origin,
    updated_at: at,
  }
}

const titles = [
  'Erstgespräch',
  'Beratung Altersvorsorge',
  'Vertragscheck',
  'Jahresgespräch',
  'Angebot besprechen',
]
const links: Record<string, (n: number) => string> = {
  zoom: n => `https://zoom.example.org/j/${10_000_000_000 + n}`,
  ms_teams: n => `https://teams.example.org/l/meetup/${uuid('meeting', n).slice(0, 13)}`,
}

function appointmentOf(number: number, lead: Lead, person: Person) {
  const created = Date.parse(lead.created_at)
  const state = 'scheduled 18, completed 58, cancelled 14, no_show 6, rescheduled 4'
  const status = created > today - 2 * day ? 'scheduled' : shareOf('appointment', number, state)
  const ahead = status === 'scheduled' || status === 'rescheduled'
  const on = ahead
    ? today + day * (1 + pick('on', number, 45))
    : between('on', number, created, today - day)
  const starts = on - (on % day) + minute * (480 + 15 * pick('quarter', number, 36))
  const platform = shareOf('platform', number, 'zoom 34, ms_teams 24, phone 30, in_person 12') ?? ''
  const found = 'ready 91, failed 5, pending 3, processing 1'
  return {
    id: uuid('appointment', number),
    title: chance('untitled', number, 4)
      ? null
      : `${commonOf('title', number, titles)} mit ${person.name}`,
    status,
    platform,
    meeting_url: links[platform]?.(number) ?? null,
    starts_at: iso(starts),
    ends_at: chance('endless', number, 3)
      ? null
      : iso(starts + minute * oneOf('length', number, [30, 45, 60, 90])),
    customer_display_name: person.name,
    source: shareOf(
      'appointment.source',
      number,
      'calendar 35, booking_link 25, chat 18, manual_termin 22',
    ),
    intelligence_status: status === 'completed' ? shareOf('intelligence', number, found) : null,
    created_at: iso(between('made', number, created, Math.min(starts, today))),
    lead_id: chance('alone', number, 6) ? null : lead.id,
    session_id: chance('in_session', number, 40) ? lead.session_id : null,
  }
}

const findings: [key: string, label: string, kind: string, output: string, values: unknown[]][] = [
  [
    'hauptbedarf',
    'Hauptbedarf',
    'need',
    'text',
    ['Absicherung der Arbeitskraft', 'Vorsorge für das Alter'],
  ],
  [
    'einwaende',
    'Einwände',
    'objection',
    'list',
    [['Beitrag erscheint hoch'], ['Will erst mit Partner sprechen'], []],
  ],
  ['abschlusswahrscheinlichkeit', 'Abschlusswahrscheinlichkeit', 'score', 'number', [72, 45.5, 88]],
  ['entscheider_anwesend', 'Alle Entscheider anwesend', 'fact', 'boolean', [true, false]],
  ['dringlichkeit', 'Dringlichkeit', 'score', 'enum', ['hoch', 'mittel', 'niedrig']],
  [
    'dokumente_angefordert',
    'Angeforderte Dokumente',
    'task',
    'list',
    [['Policen'], ['Gesundheitsfragen']],
  ],
]
const summaries = [
  'Der Kunde möchte seine Verträge ordnen; die Haftpflicht ist alt und soll verglichen werden.',
  'Thema war die Absicherung bei Berufsunfähigkeit. Zwei Varianten wurden verglichen.',
  'Nach dem Umzug passt die Hausratversicherung nicht mehr; die neue Wohnung ist deutlich größer.',
]
const steps = [
  'Policen zuschicken',
  'Angebot Privathaftpflicht senden',
  'Beitragsvergleich nachreichen',
]

function meetingOf(number: number, appointment: ReturnType<typeof appointmentOf>) {
  const { id, starts_at, intelligence_status } = appointment
  const generated_at = iso(Date.parse(starts_at) + 90 * minute)
  const ready = intelligence_status === 'ready'
  const chosen = findings.filter(([key]) => ready && chance(`chosen.${key}`, number, 70))
  return {
    appointment_id: id,
    status: intelligence_status,
    failure_reason: ready ? null : oneOf('failure', number, ['no_recording', 'no_transcript']),
    overall_score: ready ? 35 + pick('overall', number, 600) / 10 : null,
    customer_persona: ready
      ? oneOf('persona', number, ['preisbewusst', 'gründlich', 'eilig'])
      : null,
    conversation_type: ready ? oneOf('conversation', number, ['erstberatung', 'beratung']) : null,
    summary: ready ? oneOf('summary', number, summaries) : null,
    next_steps: ready ? [oneOf('step', number, steps), 'Nächsten Termin vereinbaren'] : null,
    results: chosen.map(([field_key, label, kind, output_type, values]) => ({
      field_key,
      label,
      kind,
      output_type,
      status: 'ready',
      value: oneOf(`value.${field_key}`, number, values),
      score: kind === 'score' ? 15 + pick(`score.${field_key}`, number, 85) : null,
      level: null,
      rationale: kind === 'score' ? 'Konkrete Fragen zum Beginn sprechen dafür.' : null,
      recommendation: kind === 'objection' ? 'Beitragsvergleich nachreichen.' : null,
      generated_at,
    })),
    created_at: generated_at,
  }
}

const signalTitles: Record<string, string[]> = {
  deckungsluecke: ['Lücke bei der Arbeitskraft', 'Keine private Haftpflicht bekannt'],
  vertragsablauf: ['Vertrag läuft aus', 'Befristung endet in drei Monaten'],
  cross_sell: ['Zahnzusatz passt zum Bestand', 'Rechtsschutz fehlt im Bestand'],
  beitragsanpassung: ['Beitrag steigt zur Hauptfälligkeit'],
  lebensereignis: ['Umzug erwähnt', 'Heirat erwähnt', 'Kind unterwegs'],
  rueckruf_ueberfaellig: ['Rückruf überfällig'],
}

function signalOf(number: number, lead: Lead, person: Person) {
  const kind = oneOf('signal', number, Object.keys(signalTitles))
  const status = shareOf('signal.status', number, 'open 45, done 25, dismissed 18, resolved 12')
  const detected = between('detected', number, Date.parse(lead.created_at), today)
  const title = oneOf('signal.title', number, signalTitles[kind] ?? [])
  return {
    id: uuid('signal', number),
    kind,
    title: chance('signal.named', number, 40) ? `${title}: ${person.name}` : title,
    status,
    score: Math.min(pick('score', number, 1_000), pick('score.second', number, 1_000)) / 10,
    lead_id: chance('signal.alone', number, 10) ? null : lead.id,
    detected_at: iso(detected),
    updated_at: iso(status === 'open' ? detected : between('updated', number, detected, today)),
    kontakt_key: person.kontakt_key,
    quelle: lead.source_type === 'crm_import' ? 'crm_import' : quelle('signal.quelle', number),
    outcome:
      status === 'done' ? oneOf('outcome', number, ['termin_vereinbart', 'abschluss', null]) : null,
  }
}

function advisoryDocOf(n: number, lead: Lead, person: Person) {
  const created = between('doc', n, Date.parse(lead.created_at), today)
  const approved = between('doc.approved', n, created, today)
  const isApproved = chance('doc.is_approved', n, 80)
  return {
    id: uuid('advisory_doc', n),
    lead_id: lead.id,
    title: `Beratungsdokumentation ${person.name}`,
    approved_at: isApproved ? iso(approved) : null,
    sent_at:
      isApproved && chance('doc.is_sent', n, 80)
        ? iso(between('doc.sent', n, approved, today))
        : null,
    created_at: iso(created),
  }
}

export function rowsOf(first: number, last: number, total: number): Tables {
  const large = total > fullLeadsMax
  const tables: Tables = {
    leads: [],
    lead_analyses: [],
    haushalte: [],
    kontakt_aliases: [],
    appointments: [],
    meeting_intelligence: [],
    signals: [],
    advisory_docs: [],
  }
  for (let n = first; n <= last; n += 1) {
    const person = personOf(authorOf(n))
    const lead = leadOf(n, total, person)
    const analysed = pick('analysed', n, 1_000) < (large ? 5 : 335)
    tables.leads.push(lead)
    if (analysed) tables.lead_analyses.push(analysisOf(n, lead, person))
    if (person.person === n && (!large || chance('haushalt', n, 15))) {
      tables.haushalte.push(
        haushaltOf(n, lead, person, analysed || (!large && chance('checked', n, 50))),
      )
      for (const alias_key of aliasesOf(person))
        tables.kontakt_aliases.push({
          alias_key,
          canonical_key: person.kontakt_key,
          created_at: lead.created_at,
        })
    }
    for (let number = 10 * n; number < 10 * n + pick('appointments', n, 8) - 5; number += 1) {
      const appointment = appointmentOf(number, lead, person)
      tables.appointments.push(appointment)
      if (/ready|failed/.test(appointment.intelligence_status ?? ''))
        tables.meeting_intelligence.push(meetingOf(number, appointment))
    }
    for (let number = 10 * n; number < 10 * n + pick('signals', n, 5) - 1; number += 1)
      tables.signals.push(signalOf(number, lead, person))
    if (/offer|won/.test(lead.status ?? '') && chance('documented', n, 60))
      tables.advisory_docs.push(advisoryDocOf(n, lead, person))
  }
  return tables
}
