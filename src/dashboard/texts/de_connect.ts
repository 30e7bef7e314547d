// What is said about connecting and about the service, in German.

export const connect = {
  intro: 'Was möchten Sie anbinden?',
  names: {
    crm: 'CRM',
    zapier: 'Zapier',
    make: 'Make',
    n8n: 'n8n',
    claude: 'Claude',
    cursor: 'Cursor',
    code: 'Eigenes Programm',
  },
  titles: {
    crm: 'CRM einrichten',
    zapier: 'Zapier einrichten',
    make: 'Make einrichten',
    n8n: 'n8n einrichten',
    claude: 'Claude einrichten',
    cursor: 'Cursor einrichten',
    code: 'Eigenes Programm anbinden',
  },
  hints: {
    crm: 'Leads, Analysen und Termine an Ihr Verwaltungsprogramm',
    zapier: 'Ereignisse an tausende Programme weitergeben',
    make: 'Ereignisse in Szenarien verarbeiten',
    n8n: 'Automatisierungen auf eigenem Server',
    claude: 'Der Assistent schlägt Leads und Termine nach',
    cursor: 'Dasselbe in der Entwicklungsumgebung',
    code: 'Lesen mit der API, empfangen mit einem Webhook',
  },
  steps: {
    crm: [
      'Suchen Sie in Ihrem CRM die Adresse, an die Ereignisse geschickt werden sollen (oft „Webhook-URL“).',
      '[Legen Sie den Webhook an](hook) und fügen Sie die Adresse dort ein.',
      'Tragen Sie das gezeigte Geheimnis im CRM ein, und schicken Sie ein Testereignis.',
      'Soll das CRM auch selbst lesen, [legen Sie einen Schlüssel an](key).',
    ],
    zapier: [
      'Wählen Sie im Zap-Editor „Webhooks by Zapier“ und dort „Catch Hook“.',
      'Kopieren Sie die angezeigte Adresse, und [legen Sie damit den Webhook an](hook).',
      'Schicken Sie auf der Seite des Webhooks ein Testereignis; damit füllt Zapier die Felder.',
    ],
    make: [
      'Legen Sie im Szenario ein Modul „Webhooks“, „Custom webhook“ an, und kopieren Sie die Adresse.',
      '[Legen Sie damit den Webhook an](hook).',
      'Schicken Sie ein Testereignis; damit erkennt Make den Aufbau der Daten.',
    ],
    n8n: [
      'Legen Sie einen Knoten „Webhook“ mit der Methode POST an, und kopieren Sie die Production-URL.',
      '[Legen Sie damit den Webhook an](hook), und schicken Sie ein Testereignis.',
      'Läuft n8n im eigenen Netz, muss der Betreiber dieses Netz mit WEBHOOK_ALLOWED_NETWORKS freigeben.',
    ],
    claude: [
      '[Legen Sie einen Schlüssel für Assistenten an](key); er darf nur lesen.',
      'Öffnen Sie die Kommandozeile auf dem Rechner, auf dem Claude Code installiert ist: unter Windows „PowerShell“, auf dem Mac „Terminal“.',
      'Fügen Sie dort den Befehl unten ein. Setzen Sie den Schlüssel ein, wo WDA_API_KEY steht, und drücken Sie die Eingabetaste.',
      'Fragen Sie Claude zum Beispiel: „Welche Termine stehen in den nächsten Tagen an?“',
    ],
    cursor: [
      '[Legen Sie einen Schlüssel für Assistenten an](key); er darf nur lesen.',
      'Fügen Sie den Text unten in die Datei .cursor/mcp.json im Ordner Ihres Projekts ein; gibt es sie noch nicht, legen Sie sie an. Setzen Sie den Schlüssel ein, wo WDA_API_KEY steht.',
    ],
    code: [
      '[Legen Sie einen Schlüssel an](key), und setzen Sie ihn unten ein, wo WDA_API_KEY steht.',
      'Zum Empfangen [legen Sie einen Webhook an](hook), und geben Sie dem Empfänger sein Geheimnis.',
    ],
  },
  forDevelopers: 'Für Entwickler: dasselbe mit der API',
  read: 'Lesen mit curl',
  readText: 'Zum Ausprobieren auf der Kommandozeile.',
  subscribe: 'Webhook einrichten',
  subscribeText:
    'Die Antwort enthält signing_secret: Das Geheimnis wird nur hier gezeigt. Der Schlüssel braucht das Recht write:hooks.',
  typescript: 'Empfänger in TypeScript',
  python: 'Empfänger in Python',
  receiverText: 'Prüft zuerst die Signatur. WDA_SIGNING_SECRET ist das Geheimnis des Webhooks.',
  sample: 'Beispielereignis zum Zuordnen der Felder:',
  description: 'Vollständige Beschreibung der Schnittstelle',
}

export const status = {
  well: 'Das System arbeitet.',
  wellText: 'Ereignisse werden zugestellt, und Anfragen werden ohne Fehler beantwortet.',
  idle: 'Der Dienst läuft.',
  idleText: 'Zurzeit ist kein Webhook eingeschaltet; es wird nichts zugestellt.',
  unseen: 'zurzeit kein Worker',
  unseenText:
    'Zurzeit läuft offenbar kein Teil, der Ereignisse zustellt (Worker). Bleibt das so, sagen Sie bitte dem Betreiber Bescheid.',
  pausedText: (count: number): string =>
    count === 1
      ? 'Ein Webhook ist angehalten; dorthin wird nichts zugestellt.'
      : `${count} Webhooks sind angehalten; dorthin wird nichts zugestellt.`,
  failingText: (count: number): string =>
    count === 1
      ? 'Bei einem Webhook schlagen Zustellungen fehl.'
      : `Bei ${count} Webhooks schlagen Zustellungen fehl.`,
  faulty: (count: number): string =>
    count === 1 ? 'Eine Anfrage ist fehlgeschlagen.' : 'Anfragen sind fehlgeschlagen.',
  faultyText:
    'Der Fehler liegt beim Dienst, nicht bei Ihren Programmen. Nennen Sie dem Betreiber die Nummer der Anfrage aus der Liste unten.',
  technical: 'Technische Angaben',
  address: 'Adresse der API',
  version: 'Version',
  schema: 'Schema der Datenbank',
  roles: 'Aufgaben dieses Prozesses',
  retention: 'Aufbewahrung der Ereignisse',
  days: (days: number) => (days < 0 ? 'für immer' : days === 1 ? 'ein Tag' : `${days} Tage`),
  overrides: 'Eigene SQL-Dateien',
  overridesNone: 'keine; alle Abfragen sind die mitgelieferten',
  settings: 'Einstellungen',
  settingsText: 'Geheime Werte sind verdeckt.',
  name: 'Name',
  value: 'Wert',
  delivering: 'Zustellung',
  delivers: 'läuft',
  noHook: 'kein Webhook eingeschaltet',
  waits: 'Ereignisse warten, das älteste',
  roleNames: { api: 'API und Dashboard', worker: 'Zustellung (Worker)' },
  actions: 'Protokoll',
  actionsText: 'Handlungen in diesem Dashboard, neueste zuerst, ein Jahr lang.',
  actionsNone: 'Noch nichts.',
  action: 'Aktion',
  subject: 'Betrifft',
  client: 'IP-Adresse',
  gone: 'inzwischen gelöscht',
  actionNames: {
    key_created: 'Schlüssel angelegt',
    key_rotated: 'Schlüssel erneuert',
    key_revoked: 'Schlüssel widerrufen',
    hook_created: 'Webhook angelegt',
    hook_changed: 'Webhook geändert',
    hook_paused: 'Webhook angehalten',
    hook_reactivated: 'Webhook wieder eingeschaltet, ohne nachzuliefern',
    hook_reactivated_delivering: 'Webhook wieder eingeschaltet und nachgeliefert',
    hook_deleted: 'Webhook gelöscht',
    hook_caught_up: 'Verpasstes nachgeliefert',
    hook_dismissed: 'Verpasstes verworfen',
    hook_secret_rotated: 'Geheimnis erneuert',
    hook_secret_switched: 'auf das neue Geheimnis umgestellt',
    delivery_sent_again: 'Zustellung noch einmal gesendet',
    notices_changed: 'Benachrichtigungen geändert',
    notices_tested: 'Testnachricht gesendet',
    person_erased: 'Daten einer Person gelöscht',
  },
  origin: 'Herkunft',
  origins: { environment: 'gesetzt', default: 'Vorgabe', file: 'vom Dienst angelegt' },
  horizon: 'Feed lesbar ab Cursor (ausschließlich)',
  faults: 'Letzte Fehler',
  faultsNone: 'Bei Anfragen keine seit dem letzten Start.',
  faultsText:
    'Fehler bei Anfragen seit dem letzten Start, neueste zuerst. Das Log des Dienstes enthält unter derselben Nummer mehr, dazu die Fehler des Workers.',
  faultsAll: (all: string, shown: string) =>
    `Es waren ${all} seit dem letzten Start; hier stehen die letzten ${shown}.`,
  faultAt: 'Zeitpunkt',
  faultWhere: 'Wo',
  faultCode: 'Art',
  faultRequest: 'Nummer der Anfrage',
}
