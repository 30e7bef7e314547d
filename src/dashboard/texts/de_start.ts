// What is said about beginning: events and what they mean, making a webhook, the first steps, charts, in German.
import type { EventType } from '../../model/event_type.ts'
import type { Scope } from '../../model/scope.ts'

export const eventGroups = {
  leads: 'Leads',
  analyses: 'Analysen',
  kontakte: 'Kontakte und Haushalte',
  appointments: 'Termine und Gespräche',
  signals: 'Vertriebsimpulse',
  documents: 'Beratungsdokumente',
}

export const eventTexts: Record<EventType, string> = {
  'lead.created':
    'Eine Interessentin oder ein Interessent ist neu, zum Beispiel „Anna Weber, Website“.',
  'lead.stage_changed': 'Ein Lead rückt weiter, zum Beispiel von „neu“ zu „kontaktiert“.',
  'lead.archived': 'Ein Lead kommt ins Archiv, mit dem Grund.',
  'analysis.completed': 'Eine Bedarfsanalyse aus Chat oder Telefonat liegt vor, mit allen Angaben.',
  'din.check_completed': 'Der DIN-Check liegt vor, mit den Lücken je Bedarfsstufe.',
  'haushalt.updated': 'Am Haushaltsprofil hat sich etwas geändert, zum Beispiel ein Vertrag.',
  'kontakt.merged': 'Zwei Kontakte sind dieselbe Person und wurden zusammengeführt.',
  'appointment.scheduled':
    'Ein Termin ist vereinbart, zum Beispiel „Erstgespräch, Dienstag 10 Uhr“.',
  'appointment.updated': 'Ein Termin ist verschoben oder umbenannt.',
  'appointment.cancelled': 'Ein Termin ist abgesagt.',
  'meeting.intelligence_ready':
    'Ein Gespräch ist ausgewertet: Zusammenfassung und nächste Schritte.',
  'meeting.intelligence_failed': 'Ein Gespräch ließ sich nicht auswerten, mit dem Grund.',
  'signal.opened': 'Ein Anlass, sich zu melden, zum Beispiel „Vertrag läuft aus“.',
  'signal.status_changed': 'Ein Vertriebsimpuls ist erledigt, verworfen oder wieder offen.',
  'signal.outcome_recorded': 'Was aus einem Vertriebsimpuls wurde.',
  'advisory_doc.approved': 'Ein Beratungsdokument ist freigegeben.',
  'advisory_doc.sent': 'Ein Beratungsdokument ist verschickt.',
}

export const scopeShort: Record<Scope, string> = {
  'read:leads': 'Leads',
  'read:analyses': 'Analysen',
  'read:kontakte': 'Kontakte',
  'read:appointments': 'Termine',
  'read:meetings': 'Gespräche',
  'read:signals': 'Vertriebsimpulse',
  'read:events': 'Ereignisse',
  'write:hooks': 'Webhooks einrichten',
}

export const hookForm = {
  newTitle: 'Webhook anlegen',
  newText: 'Wohin sollen Ereignisse geschickt werden, und welche?',
  changeTitle: 'Webhook ändern',
  label: 'Name',
  labelExample: 'CRM',
  target: 'Adresse',
  targetHint: 'Die Adresse nennt Ihnen das Programm, das empfangen soll. Sie beginnt mit https://.',
  types: 'Ereignisse',
  typesHint:
    'Wählen Sie nur, was der Empfänger braucht: Jedes Ereignis enthält personenbezogene Daten.',
  catalog: 'Alle Arten mit Beispielen',
  create: 'Anlegen',
  save: 'Speichern',
  cancel: 'Abbrechen',
  changed:
    'Es wurde nichts gespeichert: Der Webhook ist inzwischen geändert worden, vielleicht in einem anderen Fenster. Unten steht, was jetzt gilt, mit Ihrer Änderung. Prüfen Sie es, und speichern Sie noch einmal.',
  noTarget: 'Bitte geben Sie die Adresse an.',
  noTypes: 'Bitte wählen Sie mindestens ein Ereignis.',
  badLabel: 'Der Name darf höchstens 200 Zeichen haben.',
  badTarget: 'Das ist keine Adresse, an die etwas geschickt werden kann.',
  noHttps: 'Die Adresse muss mit https:// beginnen.',
  credentials: 'Die Adresse darf keinen Benutzernamen und kein Passwort enthalten.',
  privateTarget:
    'Die Adresse führt in ein privates oder gesperrtes Netz; dorthin wird nichts gesendet. Der Betreiber kann das Netz freigeben (WEBHOOK_ALLOWED_NETWORKS).',
  tooMany: 'Es gibt schon so viele Webhooks wie erlaubt. Löschen Sie erst einen.',
  madeTitle: (name: string) => `„${name}“ ist angelegt`,
  made: 'Der Webhook ist angelegt. Sein Geheimnis wird nur dieses eine Mal gezeigt: Kopieren Sie es jetzt.',
  secretText:
    'Mit dem Geheimnis prüft der Empfänger, ob eine Zustellung wirklich von hier kommt. Zapier und Make brauchen es nicht.',
  next: 'Schicken Sie als Nächstes ein Testereignis; auf der folgenden Seite sehen Sie, was der Empfänger antwortet.',
}

export const catalog = {
  title: 'Alle Ereignisarten',
  intro:
    'Was im Arbeitsbereich geschehen kann, mit einem erfundenen Beispiel. Ein Webhook bekommt nur die Arten, die für ihn gewählt sind.',
  example: 'Beispiel',
  noReceiver: 'Kein Webhook bekommt dieses Ereignis.',
  test: 'als Test senden',
}

export const chart = {
  empty: 'In dieser Zeit wurde nichts zugestellt.',
  step: (delivered: string, retried: string, failed: string) =>
    `${delivered} zugestellt, ${retried} Versuche wiederholt, ${failed} fehlgeschlagen`,
  delivered: 'zugestellt',
  retried: 'Versuche wiederholt',
  failed: 'fehlgeschlagen',
}

export const first = {
  title: 'Die ersten Schritte',
  text: 'In wenigen Minuten kommen Ihre Ereignisse dort an, wo Sie sie brauchen.',
  done: 'Erledigt:',
  key: 'Ein Schlüssel, mit dem eine Anwendung Ihre Daten lesen darf.',
  keyAction: 'Schlüssel anlegen',
  hook: 'Eine Anwendung, die Ereignisse bekommt: CRM, Zapier, Make, n8n oder eigene Programme.',
  hookAction: 'Anwendung einrichten',
  test: 'Ein Testereignis, das ankommt.',
  testAction: 'Test senden',
  notices: 'Eine Nachricht an Sie, wenn etwas nicht ankommt.',
  noticesAction: 'Benachrichtigung einrichten',
}
