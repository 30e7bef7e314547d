// What the dashboard says, in German; its larger pages have theirs in de_*.ts. The English texts have the same shape.
import { connect, status } from './de_connect.ts'
import { delivery, failures, found, shortFailures } from './de_deliveries.ts'
import { erasure } from './de_erasure.ts'
import { eventNames, scopeNames } from './de_names.ts'
import { notices } from './de_notices.ts'
import { overview } from './de_overview.ts'
import { catalog, chart, eventGroups, eventTexts, first, hookForm, scopeShort } from './de_start.ts'
import { webhooks } from './de_webhooks.ts'

const pages = {
  overview: 'Übersicht',
  webhooks: 'Webhooks',
  events: 'Ereignisse',
  keys: 'API-Schlüssel',
  connect: 'Einrichten',
  notices: 'Benachrichtigungen',
  privacy: 'Datenschutz',
  status: 'System',
}

export const de = {
  language: 'de',
  other: { code: 'en', name: 'English' },
  product: 'Workspace Data API',
  pages,
  eventNames,
  eventTexts,
  eventGroups,
  scopeNames,
  scopeShort,
  webhooks,
  delivery,
  found,
  failures,
  shortFailures,
  hookForm,
  catalog,
  chart,
  first,
  connect,
  status,
  erasure,
  notices,
  overview,
  skip: 'Zum Inhalt',
  navigation: 'Bereiche',
  moreAreas: 'Mehr',
  themes: { auto: 'Automatisch', light: 'Hell', dark: 'Dunkel' },
  keyboard: {
    title: 'Tastatur',
    use: 'Tastenkürzel verwenden',
    close: 'Schließen',
    keys: {
      'g o': 'Übersicht',
      'g w': 'Webhooks',
      'g e': 'Ereignisse',
      'g k': 'API-Schlüssel',
      'g c': 'Einrichten',
      'g n': 'Benachrichtigungen',
      'g p': 'Datenschutz',
      'g s': 'System',
      j: 'Nächste Zeile',
      k: 'Vorige Zeile',
      Enter: 'Öffnen',
      '/': 'Suchen, oder zum ersten Feld',
      '?': 'Diese Hilfe',
    },
  },
  signOut: 'Abmelden',
  never: 'nie',
  now: 'gerade eben',
  none: 'keine',
  or: 'oder',
  atLeast: (count: string) => `mindestens ${count}`,
  older: 'Ältere',
  newest: 'Zu den neuesten',
  copy: 'Kopieren',
  copied: 'Kopiert',
  asText: 'Als Text',
  signIn: {
    title: 'Anmelden',
    intro: 'Hier verwalten Sie, welche Anwendungen Daten dieses Arbeitsbereichs bekommen.',
    password: 'Passwort',
    button: 'Anmelden',
    wrong: 'Das Passwort stimmt nicht.',
    wait: (seconds: number) =>
      `Zu viele Versuche. Bitte warten Sie ${seconds === 1 ? 'eine Sekunde' : `${seconds} Sekunden`} und versuchen Sie es dann erneut.`,
    busy: 'Im Moment versuchen sich zu viele anzumelden. Ihr Passwort wurde nicht geprüft. Bitte versuchen Sie es gleich noch einmal.',
    ended: 'Bitte melden Sie sich an. Ihre letzte Sitzung ist zu Ende.',
    unknownName:
      'Unter dieser Adresse lässt der Dienst keine Anmeldung zu. Bitte sagen Sie dem Betreiber Bescheid: Er gibt sie mit der Einstellung PUBLIC_URL frei.',
    undone:
      'Ihre Sitzung war zu Ende, bevor das Formular ankam. Es wurde nichts ausgeführt. Melden Sie sich an, und schicken Sie es noch einmal ab.',
  },
  off: {
    title: 'Das Dashboard ist ausgeschaltet',
    text: 'Der Betreiber schaltet es ein, indem er DASHBOARD_PASSWORD setzt und den Dienst neu startet.',
  },
  problem: {
    missing: 'Diese Seite gibt es nicht',
    mistypedText: 'Die Adresse ist vielleicht falsch geschrieben.',
    missingText: 'Was sie zeigte, ist gelöscht, oder die Aufbewahrungszeit ist vorbei.',
    refused: 'Das wurde nicht ausgeführt',
    refusedText:
      'Das Formular war zu alt oder kam nicht von dieser Seite. Es wurde nichts geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    tooLarge: 'Das Formular war zu groß. Es wurde nichts geändert. Kürzen Sie Ihre Eingaben.',
    unreadable:
      'Das Formular kam nicht vollständig an oder enthielt einen Wert, der nicht zur Auswahl steht. Es wurde nichts geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    twice: {
      key: 'Dieses Formular wurde schon abgeschickt: Der Schlüssel ist angelegt und wird nicht noch einmal gezeigt. Wenn Sie ihn nicht kopiert haben, widerrufen Sie ihn und legen Sie einen neuen an.',
      hook: 'Dieses Formular wurde schon abgeschickt: Der Webhook ist angelegt. Wenn Sie das Geheimnis nicht kopiert haben, erzeugen Sie auf der Seite des Webhooks ein neues.',
      secret:
        'Dieses Formular wurde schon abgeschickt; ein zweites Mal geschieht nichts. Wenn Sie das Geheimnis nicht kopiert haben, erzeugen Sie auf der Seite des Webhooks ein neues.',
      erasure: 'Die Daten der Person sind gelöscht. Der Bericht wird nicht noch einmal gezeigt.',
      other: 'Dieses Formular wurde schon abgeschickt; ein zweites Mal geschieht nichts.',
    },
    twiceTitle: 'Das ist schon geschehen',
    unsureTitle: 'Es ist nicht sicher, was geschehen ist',
    unsure: {
      key: 'Dieses Formular wurde schon abgeschickt. Ob der Schlüssel angelegt wurde, ist nicht sicher; sehen Sie in der Liste nach. Steht er dort, widerrufen Sie ihn: Gezeigt wird er nicht mehr.',
      hook: 'Dieses Formular wurde schon abgeschickt. Ob der Webhook angelegt wurde, ist nicht sicher; sehen Sie in der Liste nach. Steht er dort, erzeugen Sie auf seiner Seite ein neues Geheimnis.',
      secret:
        'Dieses Formular wurde schon abgeschickt. Ob ein neues Geheimnis erzeugt wurde, ist nicht sicher. Erzeugen Sie auf der Seite des Webhooks noch eines.',
      other:
        'Dieses Formular wurde schon abgeschickt. Ob es ausgeführt wurde, ist nicht sicher; sehen Sie nach, bevor Sie es noch einmal versuchen.',
    },
    back: 'Zurück zur Seite',
    toPage: (name: string) => `Zur Seite „${name}“`,
    wrongMethod: 'Diese Seite nimmt so eine Anfrage nicht an. Es wurde nichts geändert.',
    unsaved:
      'Ob Ihre Eingabe gespeichert wurde, ist nicht sicher. Sehen Sie nach, bevor Sie es noch einmal versuchen.',
    fault: 'Da ist etwas schiefgegangen',
    faultText: (id: string) =>
      `Der Fehler liegt beim Dienst, nicht bei Ihnen. Wenn er bleibt, nennen Sie dem Betreiber diese Nummer: ${id}`,
  },
  banner: {
    paused: (name: string) => `Der Webhook „${name}“ ist angehalten.`,
    failing: (name: string) => `Der Webhook „${name}“ schlägt fehl.`,
    title: 'Störungen',
    more: (count: number) =>
      count === 1 ? 'Und ein weiterer Webhook.' : `Und ${count} weitere Webhooks.`,
    since: 'Seit',
    look: 'Ansehen und beheben',
  },
  keys: {
    intro:
      'Ein Schlüssel öffnet einer Anwendung (CRM, Skript, Assistent) die Daten dieses Arbeitsbereichs. Geben Sie jeder Anwendung einen eigenen, mit so wenig Rechten wie möglich.',
    empty: 'Noch kein Schlüssel. Legen Sie unten den ersten an.',
    label: 'Bezeichnung',
    labelHint: 'Wofür er ist, zum Beispiel „CRM“.',
    scopes: 'Rechte',
    expires: 'Gültigkeit',
    expiry: { '': 'ohne Ablauf', '30': '30 Tage', '90': '90 Tage', '365': 'ein Jahr' },
    create: 'Schlüssel anlegen',
    new: 'Neuer Schlüssel',
    lastUsed: 'Zuletzt benutzt',
    created: 'Angelegt',
    state: 'Status',
    begins: 'Beginnt mit',
    live: 'gültig',
    until: 'gültig bis',
    revoked: 'widerrufen',
    done: {
      revoked: (count: number): string =>
        count === 0
          ? 'Der Schlüssel war schon widerrufen.'
          : 'Der Schlüssel ist widerrufen. Er öffnet nichts mehr.',
    },
    expired: 'abgelaufen',
    revoke: 'Widerrufen',
    revokeAsk: (label: string) =>
      `„${label}“ endgültig widerrufen? Die Anwendung verliert sofort den Zugang.`,
    revokeSure: 'Ja, widerrufen',
    rotate: 'Erneuern',
    rotateAsk: (label: string) =>
      `Sie bekommen einen neuen Schlüssel für „${label}“ mit denselben Rechten. Der bisherige gilt noch 24 Stunden, wenn er nicht vorher abläuft.`,
    rotateSure: 'Neuen Schlüssel anlegen',
    soon: 'läuft bald ab:',
    presets: 'Vorlage:',
    presetNames: { crm: 'CRM, nur lesen', zapier: 'Zapier, Make, n8n', assistant: 'Assistent' },
    presetLabels: { crm: 'CRM', zapier: 'Zapier', assistant: 'Assistent' },
    tryIt: 'Ausprobieren mit curl',
    day: 'Anfragen in 24 Stunden',
    requests: 'Letzte Anfragen',
    requestsText:
      'Was die Anwendung zuletzt abgefragt hat: höchstens 30 Anfragen aus 30 Tagen, ohne Inhalte und ohne Personen.',
    requestsNone: 'In den letzten 30 Tagen keine.',
    request: 'Anfrage',
    status: 'Antwort',
    badLabel: 'Bitte geben Sie eine Bezeichnung von 1 bis 200 Zeichen an.',
    badScopes: 'Bitte wählen Sie mindestens ein Recht.',
    warnEvents:
      'Sieht mehr als die anderen Leserechte: Ereignisse enthalten Daten aus Leads, Analysen und Haushalten.',
    warnHooks:
      'Vorsicht: Wer dieses Recht hat, kann alle Ereignisse mit vollem Inhalt an jede Adresse im Internet senden lassen, auch ohne ein Leserecht. Nur für Automatisierungen.',
    made: (label: string) => `„${label}“ ist angelegt.`,
    renewed: (label: string) => `„${label}“ ist erneuert. Der bisherige Schlüssel gilt noch bis`,
    renewedNext: 'Tragen Sie den neuen in der Anwendung ein, bevor der bisherige endet.',
    once: 'Dies ist der neue Schlüssel. Er wird nur dieses eine Mal gezeigt: Kopieren Sie ihn jetzt.',
    onceDone: 'Ich habe ihn kopiert',
    tableLabel: 'Schlüssel',
    first: 'Zur ersten Seite',
    further: (left: string) => `Weitere (${left})`,
  },
  events: {
    intro: 'Alles, was im Arbeitsbereich geschieht, Neuestes zuerst.',
    type: 'Ereignis',
    all: 'alle zeigen',
    show: 'Anzeigen',
    filter: 'Nach Ereignis filtern',
    searchHint:
      'E-Mail-Adresse, Telefonnummer, Lead-Nummer, Kontakt-Schlüssel, Cursor oder Kennung eines Ereignisses oder Objekts',
    live: 'Live: Neues erscheint von selbst.',
    liveStopped: 'Live: Neues erscheint, sobald der Worker läuft.',
    lost: 'Die Verbindung ist unterbrochen; sie wird neu aufgebaut.',
    over: 'Ihre Sitzung ist zu Ende; hier erscheint nichts Neues mehr.',
    stale:
      'Der Dienst antwortet gerade nicht. Was Sie hier sehen, ist vielleicht nicht mehr aktuell; sobald er antwortet, wird es erneuert.',
    freshOne: 'Ein neues Ereignis anzeigen',
    fresh: '# neue Ereignisse anzeigen',
    catalog: 'Alle Ereignisarten',
    receivers: 'Zustellung',
    neverSent: 'nicht gesendet',
    ofWebhooks: (count: number, all: number) =>
      count === all ? `bei ${all} Webhooks` : `bei ${count} von ${all} Webhooks`,
    noReceivers: 'An keinen Webhook.',
    allWebhooks: (all: string) => `An ${all} Webhooks:`,
    moreWebhooks: (count: number) =>
      count === 1 ? 'Ein weiterer Webhook' : `${count} weitere Webhooks`,
    action: 'Aktion',
    object: 'Objekt',
    id: 'Kennung',
    pause: 'Anhalten',
    resume: 'Weiter',
    empty: 'Noch keine Ereignisse.',
    emptyExpired: 'Keine Ereignisse mehr: Die Aufbewahrungszeit der früheren ist vorbei.',
    emptyType: 'Keine Ereignisse dieser Art.',
    cursor: 'Cursor',
    at: 'Zeitpunkt',
    about: 'Betrifft',
    payload: 'Inhalt',
    personal: 'Enthält personenbezogene Daten.',
  },
}

export type Texts = typeof de
