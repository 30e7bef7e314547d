// What is said about deliveries and why they fail, in German.

export const delivery = {
  title: 'Zustellung',
  again: 'Noch einmal senden',
  now: 'Jetzt senden',
  onceActive: 'Senden können Sie sie wieder, sobald der Webhook eingeschaltet ist.',
  state: 'Status',
  states: {
    failed: 'fehlgeschlagen',
    pending: 'wartet',
    skipped: 'verpasst',
    delivered: 'zugestellt',
  },
  next: 'Nächster Versuch',
  soon: 'so bald wie möglich',
  notPaused: 'nicht, solange der Webhook angehalten ist',
  inTurn: 'wird gerade gesendet oder ist gleich an der Reihe',
  attempts: 'Verlauf',
  created: 'Ereignis eingetreten',
  attempt: (number: string) => `${number}. Versuch`,
  attemptsUpTo: (first: string, last: string, isPair: boolean) =>
    `${first}. ${isPair ? 'und' : 'bis'} ${last}. Versuch`,
  alike: (count: number) => `${count}-mal dasselbe Ergebnis`,
  answered: (status: number) => `Antwort ${status}`,
  asSent: 'Wie der Server es geschickt hat',
  none: 'Noch kein Versuch.',
  answer: 'Antwort',
  noAnswer: 'keine Antwort',
  duration: 'Dauer',
  answerHeaders: 'Kopfzeilen der Antwort',
  excerpt: 'Auszug der Antwort',
  body: 'Was gesendet wird',
  bodySent: 'Was gesendet wurde',
  gone: 'Das Ereignis ist nicht mehr da: gelöscht, oder die Aufbewahrungszeit ist vorbei.',
  test: 'Testereignis',
  invented: 'Ein erfundenes Beispiel, ohne Daten wirklicher Personen.',
  request: 'Für Entwickler: die Anfrage',
  requestText:
    'So würde diese Zustellung jetzt gesendet: signiert mit der aktuellen Uhrzeit und dem jetzt gültigen Geheimnis. Empfänger nehmen die Signatur fünf Minuten lang an; laden Sie die Seite neu, wenn sie älter ist.',
  headers: 'Kopfzeilen (Header)',
  curl: 'Befehl zum Nachstellen (curl)',
  curlText:
    'Sendet dieselbe Anfrage von Ihrem Rechner an den Empfänger. Hier erscheint sie nicht unter den Versuchen.',
}

export const failures = {
  dns: 'Der Name der Adresse lässt sich nicht auflösen. Ist sie richtig geschrieben, gibt es die Domain noch?',
  connect: 'Der Server nimmt keine Verbindung an oder bricht sie ab. Läuft er?',
  tls: 'Das Zertifikat des Servers stimmt nicht: abgelaufen, für einen anderen Namen oder nicht von einer anerkannten Stelle ausgestellt.',
  timeout: 'Der Server hat nicht rechtzeitig geantwortet.',
  blocked: 'Die Adresse führt in ein privates oder gesperrtes Netz; dorthin wird nichts gesendet.',
  s3: 'Der Server leitet weiter. Webhooks folgen keiner Weiterleitung: Die Adresse muss die endgültige sein.',
  s401: 'Der Server verlangt eine Anmeldung oder lehnt sie ab. Hat sich beim Empfänger ein Zugang geändert?',
  s404: 'Unter dieser Adresse gibt es nichts (mehr). Wurde der Empfänger gelöscht oder umgezogen?',
  s410: 'Der Empfänger sagt, dass es ihn endgültig nicht mehr gibt. Vermutlich wurde die Automatisierung dort gelöscht oder ausgeschaltet.',
  s429: 'Der Server sagt, dass er zu viele Anfragen bekommt.',
  s4: 'Der Server lehnt das Ereignis ab. Im Auszug der Antwort steht meist, warum.',
  s5: 'Der Server des Empfängers hat einen Fehler. Bitte wenden Sie sich an dessen Anbieter.',
  status: (status: number) => `Antwort ${status}.`,
}

/** The same in two or three words. */
export const shortFailures = {
  dns: 'Adresse nicht auffindbar',
  connect: 'keine Verbindung',
  tls: 'Zertifikat ungültig',
  timeout: 'keine rechtzeitige Antwort',
  blocked: 'Adresse gesperrt',
}

export const found = {
  title: 'Filtern und suchen',
  search: 'Suche',
  searchHint:
    'Kennung eines Ereignisses oder Objekts, Cursor, Lead-Nummer, E-Mail-Adresse oder Telefonnummer',
  types: 'Ereignisse',
  reason: 'Antwort',
  anyReason: 'jede',
  families: {
    '2xx': 'angenommen (2xx)',
    '3xx': 'weitergeleitet (3xx)',
    '4xx': 'abgelehnt (4xx)',
    '5xx': 'Fehler beim Empfänger (5xx)',
  },
  time: 'Ereignis eingetreten',
  anyTime: 'irgendwann',
  from: 'Von',
  to: 'Bis',
  utc: '(UTC)',
  apply: 'Anzeigen',
  reset: 'Filter aufheben',
  hooks: 'Name oder Adresse suchen',
  noHooks: 'Kein Webhook hat das im Namen oder in der Adresse.',
  none: 'Keine Zustellungen, auf die das zutrifft.',
  reversed: '„Von“ liegt nach „Bis“. Dazwischen gibt es keine Zustellungen.',
  noNames:
    'Nach Namen lässt sich hier nicht suchen, wohl aber nach E-Mail-Adresse, Telefonnummer, Lead-Nummer, Cursor oder Kennung.',
  noEvents: 'Kein Ereignis gefunden.',
  noEventsBefore: (newest: string) =>
    `Die Kennung eines Ereignisses wird in den neuesten ${newest} gesucht.`,
  further: 'Weiter zurück suchen',
  type: 'Art',
  export: 'Als Tabelle herunterladen (CSV)',
  exportMax: (max: string) =>
    `höchstens ${max} Zeilen, die neuesten zuerst; Zeitpunkte in Weltzeit (UTC)`,
  again: (count: number, shown: string) =>
    count === 1
      ? 'Diese Zustellung noch einmal senden'
      : `Diese ${shown} Zustellungen noch einmal senden`,
  againOpen: 'Alle diese noch einmal senden',
  againAsk: 'Was schon zugestellt ist, bekommt der Empfänger dann ein zweites Mal.',
  atMost: (max: string) => `Höchstens ${max} auf einmal, die neuesten zuerst.`,
  progress: (count: number, arrived: string, all: string) =>
    `Noch einmal gesendet: ${arrived} von ${all} ${count === 1 ? 'ist' : 'sind'} zugestellt.`,
  progressSince: 'Angestoßen',
  stalledPaused: 'Das Übrige wartet, solange der Webhook angehalten ist.',
  stalledIdle: 'Das Übrige wartet: Zurzeit wird nichts zugestellt.',
  failedAgain: (count: number, shown: string) =>
    count === 1 ? 'Eine ist wieder fehlgeschlagen.' : `${shown} sind wieder fehlgeschlagen.`,
  gone: (count: number, shown: string) =>
    count === 1
      ? 'Eine ist verworfen, gelöscht, verfallen oder abbestellt.'
      : `${shown} sind verworfen, gelöscht, verfallen oder abbestellt.`,
}
