// What is said about connecting and about the service, in German.

export const connect = {
  intro: 'Zum Kopieren. Setzen Sie überall Ihren Schlüssel ein, wo WDA_API_KEY steht.',
  needKey: 'Dafür brauchen Sie einen API-Schlüssel:',
  makeKey: 'Schlüssel anlegen',
  read: 'Lesen mit curl',
  readText: 'Zum Ausprobieren auf der Kommandozeile.',
  subscribe: 'Webhook einrichten',
  subscribeText:
    'Die Antwort enthält signing_secret: Das Geheimnis wird nur hier gezeigt. Der Schlüssel braucht das Recht write:hooks.',
  typescript: 'Empfänger in TypeScript',
  python: 'Empfänger in Python',
  receiverText:
    'Prüft die Signatur, bevor er etwas glaubt. WDA_SIGNING_SECRET ist das Geheimnis aus der Antwort oben.',
  zapier: 'Zapier',
  zapierText: [
    'Im Zap-Editor „Webhooks by Zapier“ und dort „Catch Hook“ wählen.',
    'Die angezeigte Adresse kopieren und mit dem Befehl unten als Webhook einrichten.',
    'Mit dem Beispiel füllt Zapier die Felder.',
  ],
  make: 'Make',
  makeText: [
    'Im Szenario ein Modul „Webhooks“, „Custom webhook“ anlegen und die Adresse kopieren.',
    'Mit dem Befehl unten einrichten.',
    'Wer sichergehen will, liest zusätzlich stündlich /events ab dem letzten Cursor; doppelte erkennt man an der id.',
  ],
  n8n: 'n8n',
  n8nText: [
    'Einen Knoten „Webhook“ mit Methode POST anlegen und die Production-URL kopieren.',
    'Mit dem Befehl unten einrichten.',
    'Läuft n8n im eigenen Netz, muss der Betreiber dieses mit WEBHOOK_ALLOWED_NETWORKS freigeben.',
  ],
  sample: 'Beispielereignis zum Zuordnen der Felder:',
  claude: 'Claude Code',
  claudeText:
    'Der Assistent kann danach Leads, Analysen, Termine und Haushalte nachschlagen. Geben Sie ihm einen Schlüssel nur mit Leserechten.',
  cursor: 'Cursor',
  cursorText: 'In die Datei .cursor/mcp.json:',
  description: 'Vollständige Beschreibung der Schnittstelle',
}

export const status = {
  version: 'Version',
  schema: 'Schema der Datenbank',
  roles: 'Aufgaben dieses Prozesses',
  retention: 'Aufbewahrung der Ereignisse',
  days: (days: number) => (days < 0 ? 'für immer' : days === 1 ? 'ein Tag' : `${days} Tage`),
  overrides: 'Eigene SQL-Dateien',
  overridesNone: 'keine; alle Abfragen sind die mitgelieferten',
  notices: 'Benachrichtigungen',
  noticesOn: 'Bei 5, 8 und 10 Fehlschlägen nacheinander geht eine Nachricht an OWNER_WEBHOOK_URL.',
  noticesOff:
    'Keine. Mit OWNER_WEBHOOK_URL geht bei 5, 8 und 10 Fehlschlägen nacheinander eine Nachricht an eine Adresse Ihrer Wahl.',
  settings: 'Einstellungen',
  settingsText: 'Geheime Werte sind verdeckt.',
  name: 'Name',
  value: 'Wert',
  origin: 'Herkunft',
  origins: { environment: 'gesetzt', default: 'Vorgabe', file: 'vom Dienst angelegt' },
  horizon: 'Der Feed beginnt nach Cursor',
  faults: 'Letzte Fehler',
  faultsNone: 'Bei Anfragen keine, seit dieser Prozess läuft.',
  faultsText:
    'Fehler bei Anfragen, seit dieser Prozess läuft, neueste zuerst. Das Protokoll enthält mehr unter derselben Nummer, und die Fehler des Workers.',
  faultAt: 'Zeitpunkt',
  faultWhere: 'Wo',
  faultCode: 'Art',
  faultRequest: 'Nummer der Anfrage',
}
