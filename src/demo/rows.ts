// The everyday rows of the demo: what comes with leads `first` to `last` of `total`. A column that a row does not name is
// null.
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

/** In the order of their references. */
const tableNames = [
  ...(['leads', 'lead_analyses', 'haushalte', 'kontakt_aliases'] as const),
  ...(['appointments', 'meeting_intelligence', 'signals', 'advisory_docs'] as const),
]
export type Tables = Record<(typeof tableNames)[number], object[]>

/** Above this the demo is thinner, because documents of 20 KB are most of the work, and makes no events. */
export const fullLeadsMax = 10_000

/** One of eight leads comes from a person who wrote shortly before. */
const comesAgain = (n: number) => n > 1 && n % 8 === 0

function authorOf(n: number): number {
  const author = comesAgain(n) ? Math.max(1, n - 1 - pick('again', n, 30)) : n
  return comesAgain(author) ? author - 1 : author
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
const shares = {
  status:
    'new 22, contacted 18, qualified 14, appointment_scheduled 12, analysis_done 13, offer 8, won 8, lost 5',
  source:
    'website_form 28, chat 22, call 17, crm_import 16, referral 8, manual_termin 5, social_ads 4',
  reason: 'no_interest 38, not_reachable 34, invalid_contact 12, won_elsewhere 10, spam 6',
  quelle: 'chat 28, call 22, crm_import 25, kontakt_edit 15, manual_termin 10',
  appointment: 'scheduled 18, completed 58, cancelled 14, no_show 6, rescheduled 4',
  intelligence: 'ready 91, failed 5, pending 3, processing 1',
  made: 'calendar 35, booking_link 25, chat 18, manual_termin 22',
  signal: 'open 45, done 25, dismissed 18, resolved 12',
}

/** As typed: +49 30 23125042, 030 23125042, 030/23125042, +493023125042. */
const spelled = (phone: string | null, n: number) => {
  const form = oneOf('spelling', n, ['+49 $1 $2', '0$1 $2', '0$1/$2', '$&'])
  return phone?.replace(/^\+49(30|69|40|89|\d{3})(\d+)$/, form) ?? null
}

export const profileOf = (person: Person, erstellt_am: string) => {
  const { name, strasse, plz, ort, phone, email } = person
  const { alter, haushalt, vertraege } = householdOf(person.household)
  const adresse = { strasse, plz, ort, land: 'DE' }
  const kunde = { name, alter, adresse, kontakt: { telefon: phone, email } }
  return { meta: { version: 'din_core_v2', erstellt_am }, kunde, haushalt, vertraege }
}

function leadOf(
  n: number,
  total: number,
  { name, vorname, nachname, plz, ort, email, phone }: Person,
) {
  const created = today - minute - 730 * day * (1 - n / total) - minute * pick('minute', n, 600)
  const status = shareOf('status', n, shares.status)
  const source_type = shareOf('source', n, shares.source)
  const archived = chance('archived', n, 12)
  const rest = {
    anliegen: oneOf('wish', n, wishes),
    einwilligung_kontakt: chance('consent', n, 94),
  }
  return {
    id: uuid('lead', n),
    name,
    email,
    phone: spelled(phone, n),
    status,
    source_type,
    contacted_at: status === 'new' ? null : iso(between('contacted', n, created, today)),
    archived_at: archived ? iso(between('archived_at', n, created, today)) : null,
    archive_reason_code: archived ? shareOf('reason', n, shares.reason) : null,
    parsed_data: chance('parsed', n, 85) ? { vorname, nachname, plz, ort, ...rest } : null,
    created_at: iso(created),
    product_domain: oneOf('product', n, fragments),
    session_id: /chat|call/.test(source_type ?? '') ? uuid('session', n) : null,
  }
}

type Lead = ReturnType<typeof leadOf>

function analysisOf(n: number, lead: Lead, person: Person) {
  const at = iso(between('analysis', n, Date.parse(lead.created_at), today))
  const channel = chance('channel', n, 55) ? 'chat' : 'call'
  return {
    id: uuid('analysis', n),
    lead_id: lead.id,
    channel,
    source_id: `${channel}_${n}`,
    analysis_schema_version: `din_core_v2+${lead.product_domain ?? 'altersvorsorge'}_v1`,
    analysis_v2: profileOf(person, at),
    din_check: checkOf(person.household, at),
    created_at: at,
    session_id: uuid('session', n),
    kontakt_key: person.kontakt_key,
  }
}

function haushaltOf(n: number, lead: Lead, person: Person, checked: boolean) {
  const at = iso(between('haushalt', n, Date.parse(lead.created_at), today))
  const quelle = shareOf('haushalt.quelle', n, shares.quelle)
  const stand = { quelle, stand: at }
  const { empfehlungen } = householdOf(person.household)
  return {
    kontakt_key: person.kontakt_key,
    haushalt: profileOf(person, at),
    provenance: { 'kunde.name': stand, 'kunde.adresse': stand, 'vertraege[0]': stand },
    ...(checked && {
      din_check: checkOf(person.household, at),
      empfehlungen_aktuell: { stand: at, empfehlungen },
    }),
    quelle,
    updated_at: at,
  }
}

const titles = ['Erstgespräch', 'Beratung Altersvorsorge', 'Vertragscheck', 'Jahresgespräch']

function appointmentOf(number: number, lead: Lead, { name }: Person) {
  const created = Date.parse(lead.created_at)
  const status =
    created > today - 2 * day ? 'scheduled' : shareOf('appointment', number, shares.appointment)
  const on = /scheduled/.test(status ?? '')
    ? today + day * (1 + pick('on', number, 45))
    : between('on', number, created, today - day)
  const starts = on - (on % day) + minute * (480 + 15 * pick('quarter', number, 36))
  const ends = starts + minute * oneOf('length', number, [30, 45, 60, 90])
  const platform = shareOf('platform', number, 'zoom 58, phone 30, in_person 12')
  return {
    id: uuid('appointment', number),
    title: chance('titled', number, 96) ? `${commonOf('title', number, titles)} mit ${name}` : null,
    status,
    platform,
    meeting_url:
      platform === 'zoom' ? `https://zoom.example.org/j/${10_000_000_000 + number}` : null,
    starts_at: iso(starts),
    ends_at: chance('ends', number, 97) ? iso(ends) : null,
    customer_display_name: name,
    source: shareOf('made', number, shares.made),
    intelligence_status:
      status === 'completed' ? shareOf('intelligence', number, shares.intelligence) : null,
    created_at: iso(between('made_at', number, created, Math.min(starts, today))),
    lead_id: chance('with_lead', number, 94) ? lead.id : null,
    session_id: lead.session_id,
  }
}

const findings: [key: string, label: string, kind: string, output: string, values: unknown[]][] = [
  ['hauptbedarf', 'Hauptbedarf', 'need', 'text', ['Absicherung der Arbeitskraft', 'Vorsorge']],
  ['einwaende', 'Einwände', 'objection', 'list', [['Beitrag erscheint hoch'], []]],
  ['abschluss', 'Abschlusswahrscheinlichkeit', 'score', 'number', [72, 45.5, 88]],
  ['entscheider', 'Alle Entscheider anwesend', 'fact', 'boolean', [true, false]],
  ['dringlichkeit', 'Dringlichkeit', 'score', 'enum', ['hoch', 'mittel', 'niedrig']],
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
  const { id: appointment_id, starts_at, intelligence_status: status } = appointment
  const generated_at = iso(Date.parse(starts_at) + 90 * minute)
  const failed = { failure_reason: 'no_recording', results: [] }
  const found = () => ({
    overall_score: 35 + pick('overall', number, 600) / 10,
    customer_persona: oneOf('persona', number, ['preisbewusst', 'gründlich', 'eilig']),
    conversation_type: 'beratung',
    summary: oneOf('summary', number, summaries),
    next_steps: [oneOf('step', number, steps), 'Nächsten Termin vereinbaren'],
    results: findings.map(([field_key, label, kind, output_type, values]) => ({
      ...{ field_key, label, kind, output_type, status: 'ready', generated_at },
      value: oneOf(`value.${field_key}`, number, values),
      score: kind === 'score' ? 15 + pick(`score.${field_key}`, number, 85) : null,
      ...{ level: null, rationale: null, recommendation: null },
    })),
  })
  return {
    appointment_id,
    status,
    created_at: generated_at,
    ...(status === 'ready' ? found() : failed),
  }
}

const signalTitles: Record<string, string[]> = {
  deckungsluecke: ['Lücke bei der Arbeitskraft', 'Keine private Haftpflicht bekannt'],
  vertragsablauf: ['Vertrag läuft aus', 'Befristung endet in drei Monaten'],
  cross_sell: ['Zahnzusatz passt zum Bestand', 'Rechtsschutz fehlt im Bestand'],
  lebensereignis: ['Umzug erwähnt', 'Heirat erwähnt', 'Kind unterwegs'],
  rueckruf_ueberfaellig: ['Rückruf überfällig'],
}

function signalOf(number: number, lead: Lead, { name, kontakt_key }: Person) {
  const kind = oneOf('signal', number, Object.keys(signalTitles))
  const status = shareOf('signal.status', number, shares.signal)
  const detected = between('detected', number, Date.parse(lead.created_at), today)
  const title = oneOf('signal.title', number, signalTitles[kind] ?? [])
  const outcomes = ['termin_vereinbart', 'abschluss', null]
  return {
    id: uuid('signal', number),
    kind,
    title: chance('signal.named', number, 40) ? `${title}: ${name}` : title,
    status,
    score: Math.min(pick('score', number, 1_000), pick('score.second', number, 1_000)) / 10,
    lead_id: chance('signal.with_lead', number, 90) ? lead.id : null,
    detected_at: iso(detected),
    updated_at: iso(status === 'open' ? detected : between('updated', number, detected, today)),
    kontakt_key,
    quelle: shareOf('signal.quelle', number, shares.quelle),
    outcome: status === 'done' ? oneOf('outcome', number, outcomes) : null,
  }
}

function advisoryDocOf(n: number, { id: lead_id, created_at }: Lead, { name }: Person) {
  const created = between('doc', n, Date.parse(created_at), today)
  const approved = between('doc.approved', n, created, today)
  return {
    id: uuid('advisory_doc', n),
    lead_id,
    title: `Beratungsdokumentation ${name}`,
    approved_at: iso(approved),
    sent_at: chance('doc.sent', n, 80) ? iso(between('doc.sent_at', n, approved, today)) : null,
    created_at: iso(created),
  }
}

export function rowsOf(first: number, last: number, total: number): Tables {
  const large = total > fullLeadsMax
  const tables = Object.fromEntries(tableNames.map(name => [name, [] as object[]])) as Tables
  for (let n = first; n <= last; n += 1) {
    const person = personOf(authorOf(n))
    const lead = leadOf(n, total, person)
    const analysed = pick('analysed', n, 1_000) < (large ? 2 : 335)
    tables.leads.push(lead)
    if (analysed) tables.lead_analyses.push(analysisOf(n, lead, person))
    if (person.person === n && (!large || chance('known', n, 4))) {
      const checked = analysed || (!large && chance('checked', n, 50))
      const { kontakt_key: canonical_key } = person
      tables.haushalte.push(haushaltOf(n, lead, person, checked))
      for (const alias_key of aliasesOf(person))
        tables.kontakt_aliases.push({ alias_key, canonical_key, created_at: lead.created_at })
    }
    for (let number = 10 * n; number < 10 * n + pick('appointments', n, 8) - 5; number += 1) {
      const appointment = appointmentOf(number, lead, person)
      tables.appointments.push(appointment)
      if (/ready|failed/.test(appointment.intelligence_status ?? ''))
        tables.meeting_intelligence.push(meetingOf(number, appointment))
    }
    for (let number = 10 * n; number < 10 * n + pick('signals', n, 5) - 1; number += 1)
      tables.signals.push(signalOf(number, lead, person))
    if (/offer|won/.test(lead.status ?? ''))
      tables.advisory_docs.push(advisoryDocOf(n, lead, person))
  }
  return tables
}
