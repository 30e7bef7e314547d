// What the dashboard says, in German. The English texts have the same shape.
import { connect, status } from './de_connect.ts'
import { erasure } from './de_erasure.ts'
import { eventNames, scopeNames } from './de_names.ts'
import { delivery, failures, webhooks } from './de_webhooks.ts'

const pages = {
  overview: 'Übersicht',
  keys: 'API-Schlüssel',
  webhooks: 'Webhooks',
  events: 'Ereignisse',
  connect: 'Anbinden',
  status: 'Dienst',
}

export const de = {
  language: 'de',
  other: { code: 'en', name: 'English' },
  product: 'Workspace Data API',
  pages,
  eventNames,
  scopeNames,
  webhooks,
  delivery,
  failures,
  connect,
  status,
  erasure,
  skip: 'Zum Inhalt',
  navigation: 'Bereiche',
  signOut: 'Abmelden',
  never: 'nie',
  none: 'keine',
  or: 'oder',
  more: 'mehr',
  atLeast: (count: string) => `mehr als ${count}`,
  older: 'Ältere',
  newest: 'Zu den neuesten',
  copy: 'Kopieren',
  copied: 'Kopiert',
  back: 'Zurück',
  signIn: {
    title: 'Anmelden',
    intro: 'Der Zugang zu den Schnittstellen dieses Arbeitsbereichs.',
    password: 'Passwort',
    button: 'Anmelden',
    wrong: 'Das Passwort stimmt nicht.',
    wait: (seconds: number) =>
      `Zu viele Versuche. Bitte warten Sie ${seconds} Sekunden und versuchen Sie es dann erneut.`,
    ended: 'Bitte melden Sie sich an. Ihre letzte Sitzung ist zu Ende.',
  },
  off: {
    title: 'Das Dashboard ist ausgeschaltet',
    text: 'Es wird eingeschaltet, indem der Betreiber DASHBOARD_PASSWORD setzt und den Dienst neu startet.',
  },
  problem: {
    missing: 'Diese Seite gibt es nicht',
    missingText:
      'Vielleicht wurde gelöscht, was sie gezeigt hat, oder die Aufbewahrungszeit ist vorbei.',
    refused: 'Das wurde nicht ausgeführt',
    refusedText:
      'Das Formular war zu alt oder kam nicht von dieser Seite. Es wurde nichts geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    twice: 'Dieses Formular wurde schon abgeschickt; ein zweites Mal geschieht nichts.',
    wrongMethod: 'Diese Seite nimmt so eine Anfrage nicht an. Es wurde nichts geändert.',
    fault: 'Da ist etwas schiefgegangen',
    faultText: (id: string) =>
      `Der Fehler liegt beim Dienst, nicht bei Ihnen. Wenn er bleibt, nennen Sie dem Betreiber diese Nummer: ${id}`,
  },
  banner: {
    paused: (name: string) => `Der Webhook „${name}“ ist angehalten.`,
    failing: (name: string) => `Der Webhook „${name}“ schlägt fehl.`,
    more: (count: number) => (count === 1 ? 'Und ein weiterer.' : `Und ${count} weitere.`),
    since: 'Seit',
    look: 'Ansehen und beheben',
  },
  overview: {
    well: 'Alles läuft.',
    wellText: 'Ereignisse kommen an, Webhooks werden zugestellt.',
    trouble: (count: number) =>
      count === 1 ? 'Ein Webhook braucht Sie.' : `${count} Webhooks brauchen Sie.`,
    slow: 'Die Zustellung hinkt hinterher.',
    slowText: 'Ereignisse warten länger als üblich. Läuft der Worker?',
    feed: 'Ereignisse',
    feedHint: 'bisher vergeben (Cursor)',
    waiting: 'Im Eingang',
    waitingNone: 'nichts wartet',
    waitingSince: 'wartet seit',
    queue: 'Warteschlange',
    queueNone: 'nichts überfällig',
    queueSince: 'fällig seit',
    requests: 'Anfragen',
    requestsHint: 'in der letzten Minute',
    webhooks: 'Webhooks',
    webhooksHint: (failing: number) =>
      failing === 0 ? 'alle in Ordnung' : `${failing} mit Störung`,
    chart: 'Zustellungen der letzten 24 Stunden',
    chartText: (accepted: string, failed: string) =>
      `${accepted} angenommen, ${failed} Versuche fehlgeschlagen`,
    counting: 'Wird gerade gezählt.',
    again: 'Neu laden',
    accepted: 'angenommen',
    failed: 'fehlgeschlagen',
    empty: 'In den letzten 24 Stunden wurde nichts zugestellt.',
  },
  keys: {
    intro:
      'Ein Schlüssel öffnet einer Anwendung (CRM, Skript, Assistent) die Daten dieses Arbeitsbereichs. Geben Sie jeder Anwendung einen eigenen, mit so wenig Rechten wie möglich.',
    empty: 'Noch kein Schlüssel. Legen Sie unten den ersten an.',
    label: 'Bezeichnung',
    labelHint: 'Wofür er ist, zum Beispiel „CRM“.',
    scopes: 'Rechte',
    expires: 'Gültig',
    expiry: { '': 'ohne Ablauf', '30': '30 Tage', '90': '90 Tage', '365': 'ein Jahr' },
    create: 'Schlüssel anlegen',
    new: 'Neuer Schlüssel',
    lastUsed: 'Zuletzt benutzt',
    created: 'Angelegt',
    state: 'Stand',
    live: 'gültig',
    until: 'gültig bis',
    revoked: 'widerrufen',
    expired: 'abgelaufen',
    revoke: 'Widerrufen',
    revokeAsk: (label: string) =>
      `„${label}“ endgültig widerrufen? Die Anwendung verliert sofort den Zugang.`,
    revokeSure: 'Ja, widerrufen',
    badLabel: 'Bitte geben Sie eine Bezeichnung von 1 bis 200 Zeichen an.',
    badScopes: 'Bitte wählen Sie mindestens ein Recht.',
    warnEvents:
      'Sieht mehr als die anderen Leserechte: Ereignisse enthalten Daten aus Leads, Analysen und Haushalten.',
    warnHooks:
      'Vorsicht: Wer dieses Recht hat, kann alle Ereignisse mit vollem Inhalt an jede Adresse im Internet senden lassen, auch ohne ein Leserecht. Nur für Automatisierungen.',
    once: 'Dies ist der neue Schlüssel. Er wird nur dieses eine Mal gezeigt: Kopieren Sie ihn jetzt.',
    onceDone: 'Ich habe ihn kopiert',
    tableLabel: 'Schlüssel',
  },
  events: {
    intro: 'Alles, was im Arbeitsbereich geschieht, in der Reihenfolge, in der es sichtbar wurde.',
    type: 'Ereignis',
    all: 'alle',
    show: 'Anzeigen',
    live: 'Live: Neues erscheint von selbst.',
    lost: 'Die Verbindung ist unterbrochen; sie wird neu aufgebaut.',
    pause: 'Anhalten',
    resume: 'Weiter',
    empty: 'Noch keine Ereignisse.',
    emptyType: 'Keine Ereignisse dieser Art.',
    cursor: 'Cursor',
    at: 'Zeitpunkt',
    about: 'Worum es geht',
    title: 'Ereignis',
    payload: 'Inhalt',
    personal: 'Enthält personenbezogene Daten.',
  },
}

export type Texts = typeof de
