// What event types and scopes are called, in German.
import type { EventType } from '../../model/event_type.ts'
import type { Scope } from '../../model/scope.ts'

export const eventNames: Record<EventType, string> = {
  'lead.created': 'Neuer Lead',
  'lead.stage_changed': 'Lead hat die Stufe gewechselt',
  'lead.archived': 'Lead archiviert',
  'analysis.completed': 'Bedarfsanalyse fertig',
  'din.check_completed': 'DIN-Check berechnet',
  'haushalt.updated': 'Haushaltsprofil geändert',
  'kontakt.merged': 'Kontakte zusammengeführt',
  'appointment.scheduled': 'Termin angelegt',
  'appointment.cancelled': 'Termin abgesagt',
  'appointment.updated': 'Termin geändert',
  'meeting.intelligence_ready': 'Gesprächsauswertung fertig',
  'meeting.intelligence_failed': 'Gesprächsauswertung fehlgeschlagen',
  'advisory_doc.approved': 'Beratungsdokument freigegeben',
  'advisory_doc.sent': 'Beratungsdokument versendet',
  'signal.opened': 'Neuer Vertriebsimpuls',
  'signal.status_changed': 'Vertriebsimpuls: neuer Status',
  'signal.outcome_recorded': 'Vertriebsimpuls: Ergebnis erfasst',
}

export const scopeNames: Record<Scope, string> = {
  'read:leads': 'Leads lesen: Namen, Adressen und Stand Ihrer Interessenten',
  'read:analyses': 'Bedarfsanalysen lesen, auch Gesundheitsangaben daraus',
  'read:kontakte': 'Kontakte und Haushaltsprofile lesen',
  'read:appointments': 'Termine lesen',
  'read:meetings': 'Gesprächsauswertungen lesen',
  'read:signals': 'Vertriebsimpulse lesen',
  'read:events': 'Alle Ereignisse lesen',
  'write:hooks': 'Webhooks einrichten und löschen',
}
