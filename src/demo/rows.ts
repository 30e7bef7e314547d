// The rows of the demo: what comes with leads `first` to `last` of `total`. A column that a row does not name is null.
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

/** Above this the demo is thinner, because documents of 20 KB are most of the work, and makes no events. */
export const fullLeadsMax = 10_000

/** One of eight leads comes from a person who wrote shortly before. */
const comesAgain = (n: number) => n > 1 && n % 8 === 0

function authorOf(n: number): number {
  const author = comesAgain(n) ? Math.max(1, n - 1 - pick('again', n, 30)) : n
  return comesAgain(author) ? author - 1 : author
}

const products = ['altersvorsorge', 'berufsunfaehigkeit', 'privathaftpflicht', 'kfz', 'hausrat']
const wishes = [
  'Möchte bestehende Verträge prüfen lassen',
  'Bittet um Rückruf am Nachmittag',
  'Zieht um und braucht neuen Schutz',
  'Interessiert sich für Altersvorsorge',
]
const shares = {
  status: 'new 30, contacted 18, qualified 14, analysis_done 13, offer 10, won 10, lost 5',
  source: 'website_form 30, chat 22, call 19, crm_import 16, referral 8, manual_termin 5',
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

const profileOf = ({ name, household, strasse, plz, ort, phone, email }: Person, at: string) => {
  const { alter, haushalt, vertraege } = householdOf(household)
  const adresse = { strasse, plz, ort, land: 'DE' }
  const kunde = { name, alter, adresse, kontakt: { telefon: phone, email } }
  return { meta: { version: 'din_core_v2', erstellt_am: at }, kunde, haushalt, vertraege }
}

function leadOf(n: number, total: number, { name, email, phone, ...person }: Person) {
  const created = today - minute - 730 * day * (1 - n / total) - minute * pick('minute', n, 600)
  const status = shareOf('status', n, shares.status)
  const source_type = shareOf('source', n, shares.source)
  const archived = chance('archived', n, 12)
  const { vorname, nachname, plz, ort } = person
  const einwilligung_kontakt = chance('consent', n, 94)
  const anliegen = oneOf('wish', n, wishes)
  const parsed_data = { vorname, nachname, plz, ort, anliegen, einwilligung_kontakt }
  return {
    ...{ id: uuid('lead', n), name, email, phone: spelled(phone, n), status, source_type },
    contacted_at: status === 'new' ? null : iso(between('contacted', n, created, today)),
    archived_at: archived ? iso(between('archived_at', n, created, today)) : null,
    archive_reason_code: archived ? shareOf('reason', n, shares.reason) : null,
    parsed_data: chance('parsed', n, 85) ? parsed_data : null,
    created_at: iso(created),
    product_domain: oneOf('product', n, [...products, null]),
    session_id: /chat|call/.test(source_type) ? uuid('session', n) : null,
  }
}

type Lead = ReturnType<typeof leadOf>

function analysisOf(n: number, lead: Lead, person: Person) {
  const at = iso(between('analysis', n, Date.parse(lead.created_at), today))
  const channel = chance('channel', n, 55) ? 'chat' : 'call'
  return {
    ...{ id: uuid('analysis', n), lead_id: lead.id, channel, source_id: `${channel}_${n}` },
    analysis_schema_version: `din_core_v2+${lead.product_domain ?? 'altersvorsorge'}_v1`,
    analysis_v2: profileOf(person, at),
    din_check: checkOf(person.household, at),
    ...{ created_at: at, session_id: uuid('session', n), kontakt_key: person.kontakt_key },
  }
}

function haushaltOf(n: number, lead: Lead, person: Person, checked: boolean) {
  const at = iso(between('haushalt', n, Date.parse(lead.created_at), today))
  const quelle = shareOf('haushalt.quelle', n, shares.quelle)
  const stand = { quelle, stand: at }
  const { empfehlungen } = householdOf(person.household)
  const check = { din_check: checkOf(person.household, at) }
  return {
    kontakt_key: person.kontakt_key,
    haushalt: profileOf(person, at),
    provenance: { 'kunde.name': stand, 'kunde.adresse': stand, 'vertraege[0]': stand },
    ...(checked && { ...check, empfehlungen_aktuell: { stand: at, empfehlungen } }),
    ...{ quelle, updated_at: at },
  }
}

const titles = ['Erstgespräch', 'Beratung Altersvorsorge', 'Vertragscheck', 'Jahresgespräch']

function appointmentOf(n: number, { id: lead_id, created_at, session_id }: Lead, name: string) {
  const created = Date.parse(created_at)
  const isNew = created > today - 2 * day
  const status = isNew ? 'scheduled' : shareOf('appointment', n, shares.appointment)
  const on = /scheduled/.test(status)
    ? today + day * (1 + pick('on', n, 45))
    : between('on', n, created, today - day)
  const starts = on - (on % day) + minute * (480 + 15 * pick('quarter', n, 36))
  const ends = starts + minute * oneOf('length', n, [30, 45, 60, 90])
  const platform = shareOf('platform', n, 'zoom 58, phone 30, in_person 12')
  const url = platform === 'zoom' ? `https://zoom.example.org/j/${10_000_000_000 + n}` : null
  const found = shareOf('intelligence', n, shares.intelligence)
  return {
    id: uuid('appointment', n),
    title: chance('titled', n, 96) ? `${commonOf('title', n, titles)} mit ${name}` : null,
    ...{ status, platform, meeting_url: url, starts_at: iso(starts), session_id },
    ends_at: chance('ends', n, 97) ? iso(ends) : null,
    customer_display_name: name,
    source: shareOf('made', n, shares.made),
    intelligence_status: status === 'completed' ? found : null,
    created_at: iso(between('made_at', n, created, Math.min(starts, today))),
    lead_id: chance('with_lead', n, 94) ? lead_id : null,
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
  'Nach dem Umzug passt die Hausratversicherung nicht mehr; die neue Wohnung ist größer.',
]
const steps = ['Policen zuschicken', 'Angebot Haftpflicht senden', 'Beitragsvergleich nachreichen']

function meetingOf(n: number, appointment: ReturnType<typeof appointmentOf>) {
  const { id: appointment_id, starts_at, intelligence_status: status } = appointment
  const created_at = iso(Date.parse(starts_at) + 90 * minute)
  const row = { appointment_id, status, created_at }
  if (status === 'failed') return { ...row, failure_reason: 'no_recording', results: [] }
  return {
    ...row,
    overall_score: 35 + pick('overall', n, 600) / 10,
    customer_persona: oneOf('persona', n, ['preisbewusst', 'gründlich', 'eilig']),
    conversation_type: 'beratung',
    summary: oneOf('summary', n, summaries),
    next_steps: [oneOf('step', n, steps), 'Nächsten Termin vereinbaren'],
    results: findings.map(([field_key, label, kind, output_type, values]) => ({
      ...{ field_key, label, kind, output_type, status: 'ready', generated_at: created_at },
      value: oneOf(`value.${field_key}`, n, values),
      score: kind === 'score' ? 15 + pick(`score.${field_key}`, n, 85) : null,
      ...{ level: null, rationale: null, recommendation: null },
    })),
  }
}

const signalTitles: Record<string, string[]> = {
  deckungsluecke: ['Lücke bei der Arbeitskraft', 'Keine private Haftpflicht bekannt'],
  vertragsablauf: ['Vertrag läuft aus', 'Befristung endet in drei Monaten'],
  cross_sell: ['Zahnzusatz passt zum Bestand', 'Rechtsschutz fehlt im Bestand'],
  lebensereignis: ['Umzug erwähnt', 'Heirat erwähnt', 'Kind unterwegs'],
  rueckruf_ueberfaellig: ['Rückruf überfällig'],
}

function signalOf(n: number, lead: Lead, { name, kontakt_key }: Person) {
  const kind = oneOf('signal', n, Object.keys(signalTitles))
  const status = shareOf('signal.status', n, shares.signal)
  const detected = between('detected', n, Date.parse(lead.created_at), today)
  const title = oneOf('signal.title', n, signalTitles[kind] ?? [])
  const outcome = oneOf('outcome', n, ['termin_vereinbart', 'abschluss', null])
  return {
    ...{ id: uuid('signal', n), kind, status, kontakt_key },
    title: chance('signal.named', n, 40) ? `${title}: ${name}` : title,
    score: Math.min(pick('score', n, 1_000), pick('score.second', n, 1_000)) / 10,
    lead_id: chance('signal.with_lead', n, 90) ? lead.id : null,
    detected_at: iso(detected),
    updated_at: iso(status === 'open' ? detected : between('updated', n, detected, today)),
    quelle: shareOf('signal.quelle', n, shares.quelle),
    outcome: status === 'done' ? outcome : null,
  }
}

function advisoryDocOf(n: number, { id: lead_id, created_at }: Lead, { name }: Person) {
  const created = between('doc', n, Date.parse(created_at), today)
  const approved = between('doc.approved', n, created, today)
  const sent_at = chance('doc.sent', n, 80) ? iso(between('doc.sent_at', n, approved, today)) : null
  const title = `Beratungsdokumentation ${name}`
  const id = uuid('advisory_doc', n)
  return { id, lead_id, title, approved_at: iso(approved), sent_at, created_at: iso(created) }
}

/** By table, in the order of their references. */
export function rowsOf(first: number, last: number, total: number): Record<string, object[]> {
  const large = total > fullLeadsMax
  const tables: Record<string, object[]> = {}
  const add = (table: string, row: object) => {
    tables[table] ??= []
    tables[table].push(row)
  }
  for (let n = first; n <= last; n += 1) {
    const person = personOf(authorOf(n))
    const lead = leadOf(n, total, person)
    const analysed = pick('analysed', n, 1_000) < (large ? 2 : 335)
    add('leads', lead)
    if (analysed) add('lead_analyses', analysisOf(n, lead, person))
    if (person.person === n && (!large || chance('known', n, 4))) {
      const checked = analysed || (!large && chance('checked', n, 50))
      const { kontakt_key: canonical_key } = person
      add('haushalte', haushaltOf(n, lead, person, checked))
      for (const alias_key of aliasesOf(person))
        add('kontakt_aliases', { alias_key, canonical_key, created_at: lead.created_at })
    }
    for (let number = 10 * n; number < 10 * n + pick('appointments', n, 8) - 5; number += 1) {
      const appointment = appointmentOf(number, lead, person.name)
      add('appointments', appointment)
      if (/ready|failed/.test(appointment.intelligence_status ?? ''))
        add('meeting_intelligence', meetingOf(number, appointment))
    }
    for (let number = 10 * n; number < 10 * n + pick('signals', n, 5) - 1; number += 1)
      add('signals', signalOf(number, lead, person))
    if (/offer|won/.test(lead.status)) add('advisory_docs', advisoryDocOf(n, lead, person))
  }
  return tables
}
