// What is said about webhooks and why they fail, in German.

export const webhooks = {
  intro:
    'Ein Webhook schickt Ereignisse an eine Adresse, zum Beispiel an Ihr CRM. Anwendungen richten Webhooks selbst ein, mit einem Schlüssel, der das Recht „Webhooks einrichten“ hat.',
  empty: 'Noch kein Webhook.',
  emptyLink: 'So wird einer angebunden',
  unnamed: 'ohne Bezeichnung',
  target: 'Adresse',
  types: 'Ereignisse',
  source: 'Quelle',
  created: 'Eingerichtet',
  last: 'Letzte Zustellung',
  states: {
    ok: 'in Ordnung',
    idle: 'noch nichts gesendet',
    retrying: 'wird erneut versucht',
    failing: 'schlägt fehl',
    paused: 'angehalten',
  },
  pausedTitle: 'Angehalten',
  pausedText:
    'Zehn Zustellungen nacheinander sind endgültig fehlgeschlagen. Seitdem wird nichts gesendet. Es ist nichts verloren: was inzwischen geschah, ist vorgemerkt.',
  failingTitle: 'Schlägt fehl',
  failingText: (count: number) =>
    count === 1
      ? 'Eine Zustellung ist endgültig fehlgeschlagen. Nach zehn nacheinander wird der Webhook angehalten.'
      : `${count} Zustellungen nacheinander sind endgültig fehlgeschlagen. Nach zehn wird der Webhook angehalten.`,
  since: 'Seit',
  why: 'Warum',
  missed: (count: string) => `${count} Ereignisse sind vorgemerkt.`,
  missedOne: 'Ein Ereignis ist vorgemerkt.',
  pending: 'Wartend',
  skipped: 'Vorgemerkt',
  reactivateMissed: 'Wieder einschalten und Verpasstes zustellen',
  reactivate: 'Nur wieder einschalten',
  deliverMissed: 'Verpasstes zustellen',
  deliverMissedText:
    'Vorgemerkte und zuletzt fehlgeschlagene Ereignisse werden noch einmal gesendet.',
  cursor: 'Wer lieber selbst nachliest: ab diesem Cursor steht im Feed alles, was noch fehlt.',
  test: 'Testereignis senden',
  testType: 'Ereignis',
  secret: 'Signatur-Geheimnis',
  secretText:
    'Mit dem Geheimnis prüft der Empfänger, dass eine Zustellung wirklich von hier kommt.',
  rotate: 'Neues Geheimnis erzeugen',
  rotateAsk:
    'Das alte bleibt noch 24 Stunden gültig. Ein schon laufender Wechsel wird dabei abgebrochen.',
  rotateSure: 'Jetzt erzeugen',
  once: 'Dies ist das neue Geheimnis. Es wird nur dieses eine Mal gezeigt: Kopieren Sie es jetzt und tragen Sie es beim Empfänger ein.',
  onceDone: 'Ich habe es kopiert',
  overlap: 'Altes und neues Geheimnis unterschreiben beide, bis',
  overlapLeads:
    'In der einfachen Signatur steht noch das alte. Wenn der Empfänger das neue kennt, schalten Sie um.',
  overlapSwitched: 'In der einfachen Signatur steht schon das neue.',
  switch: 'Auf das neue umschalten',
  deliveries: 'Zustellungen',
  filter: 'Nach Stand filtern',
  deliveryStates: {
    failed: 'fehlgeschlagen',
    pending: 'wartend',
    skipped: 'vorgemerkt',
    delivered: 'zugestellt',
  },
  noDeliveries: 'Keine Zustellungen mit diesem Stand.',
  event: 'Ereignis',
  at: 'Zeitpunkt',
  attempts: 'Versuche',
  noSecretsKey:
    'Es fehlt der Schlüssel SECRETS_KEY; ohne ihn kann kein Geheimnis gespeichert werden.',
  done: {
    reactivated: 'Der Webhook ist wieder eingeschaltet.',
    missed: (count: string) =>
      `Der Webhook ist eingeschaltet; ${count} Zustellungen sind unterwegs.`,
    tested:
      'Das Testereignis ist unterwegs. Laden Sie die Seite gleich neu, um das Ergebnis zu sehen.',
    switched: 'Das neue Geheimnis unterschreibt jetzt allein die einfache Signatur.',
    redelivered: 'Die Zustellung ist wieder unterwegs.',
    refused:
      'Das ging nicht: Der Webhook ist angehalten, die Zustellung läuft gerade, oder ihr Ereignis ist nicht mehr da.',
  },
}

export const delivery = {
  title: 'Zustellung',
  again: 'Noch einmal senden',
  state: 'Stand',
  next: 'Nächster Versuch',
  attempts: 'Versuche',
  none: 'Noch kein Versuch.',
  answer: 'Antwort',
  noAnswer: 'keine Antwort',
  duration: 'Dauer',
  excerpt: 'Auszug der Antwort',
  body: 'Was gesendet wird',
  gone: 'Das Ereignis ist nicht mehr da: gelöscht, oder die Aufbewahrungszeit ist vorbei.',
  test: 'Testereignis',
}

export const failures = {
  dns: 'Der Name der Adresse lässt sich nicht auflösen. Ist sie richtig geschrieben, gibt es die Domain noch?',
  connect: 'Der Server nimmt keine Verbindung an oder bricht sie ab. Läuft er?',
  tls: 'Das Zertifikat des Servers stimmt nicht: abgelaufen, für einen anderen Namen oder von niemandem bestätigt.',
  timeout: 'Der Server hat nicht rechtzeitig geantwortet (15 Sekunden).',
  blocked: 'Die Adresse führt in ein privates oder gesperrtes Netz; dorthin wird nichts gesendet.',
  s3: 'Der Server leitet weiter. Webhooks folgen keiner Weiterleitung: Die Adresse muss die endgültige sein.',
  s401: 'Der Server verlangt eine Anmeldung oder lehnt sie ab. Hat sich beim Empfänger ein Zugang geändert?',
  s404: 'Unter dieser Adresse gibt es nichts (mehr). Wurde der Empfänger gelöscht oder umgezogen?',
  s410: 'Der Empfänger sagt, dass es ihn endgültig nicht mehr gibt. Vermutlich wurde die Automatisierung dort gelöscht oder ausgeschaltet.',
  s429: 'Der Server sagt, dass er zu viele Anfragen bekommt.',
  s4: 'Der Server lehnt das Ereignis ab. Im Auszug der Antwort steht meist, warum.',
  s5: 'Der Server des Empfängers hat einen Fehler. Meist hilft nur dessen Betreiber.',
  status: (status: number) => `Antwort ${status}.`,
}
