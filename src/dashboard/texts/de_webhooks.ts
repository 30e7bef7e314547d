// What is said about webhooks, in German.

export const webhooks = {
  intro:
    'Ein Webhook ist eine automatische Weiterleitung: Er schickt Ereignisse an eine Adresse, zum Beispiel an Ihr CRM. Auch Anwendungen wie Zapier richten hier selbst Webhooks ein.',
  empty: 'Noch kein Webhook. Legen Sie oben den ersten an.',
  make: 'Webhook anlegen',
  name: 'Name',
  unnamed: 'ohne Namen',
  target: 'Adresse',
  types: 'Ereignisse',
  source: 'Eingerichtet von',
  sources: { api: 'Ihnen, im Dashboard oder über die API', zapier: 'Zapier', make: 'Make' },
  created: 'Eingerichtet',
  last: 'Letzte Zustellung',
  noneKept: 'keine in der Aufbewahrungszeit',
  lastTest: 'Letztes Testereignis',
  lookAtTest: 'Test ansehen',
  states: {
    ok: 'in Ordnung',
    idle: 'noch nichts zugestellt',
    quiet: 'zuletzt nichts zugestellt',
    open: 'nicht alles zugestellt',
    catchingUp: 'liefert Verpasstes nach',
    catchUpIdle: 'Nachlieferung wartet',
    behind: 'kommt nicht nach',
    retrying: 'wird wiederholt',
    failing: 'schlägt fehl',
    paused: 'nach Fehlern angehalten',
    byOwner: 'von Ihnen angehalten',
  },
  pausedTitle: 'Nach Fehlern angehalten',
  pausedText:
    'Zehn Zustellungen nacheinander sind endgültig fehlgeschlagen. Seitdem wird nichts gesendet. Was inzwischen geschieht, lässt sich nachliefern.',
  byOwnerTitle: 'Von Ihnen angehalten',
  byOwnerText: 'Sie haben diesen Webhook angehalten. Es wird nichts gesendet.',
  keepPaused: 'Weiter angehalten lassen',
  failingTitle: 'Schlägt fehl',
  failingText: (count: number) =>
    count === 1
      ? 'Die letzte Zustellung ist endgültig fehlgeschlagen. Nach zehn nacheinander wird der Webhook angehalten.'
      : `Die letzten ${count} Zustellungen sind endgültig fehlgeschlagen. Nach zehn nacheinander wird der Webhook angehalten.`,
  repaired:
    'Ob der Fehler behoben ist, zeigt ein Testereignis. Dieser Hinweis verschwindet mit der nächsten Zustellung, die ankommt.',
  retryingTitle: 'Wird wiederholt',
  retryingText: 'Der letzte Versuch ist fehlgeschlagen; weitere folgen von selbst.',
  behindTitle: 'Kommt nicht nach',
  behindText:
    'Der Empfänger ist nicht erreichbar oder antwortet zu langsam. Es ist nichts verloren: Alles wird zugestellt, sobald er antwortet.',
  failingSince: 'Schlägt fehl seit',
  pausedSince: 'Angehalten seit',
  why: 'Warum',
  byOwnerReason: 'Grund',
  lastFailure: 'Letzter Fehler',
  lookAtIt: 'Zustellung ansehen',
  undelivered: (count: number, shown: string) =>
    count === 1
      ? 'Ein Ereignis ist noch nicht zugestellt.'
      : `${shown} Ereignisse sind noch nicht zugestellt.`,
  failures: (count: number, shown: string) =>
    count === 1
      ? 'Eine fehlgeschlagene Zustellung ist noch nicht nachgeholt.'
      : `${shown} fehlgeschlagene Zustellungen sind noch nicht nachgeholt.`,
  missed: (count: number, shown: string) =>
    count === 1
      ? 'Ein Ereignis hat der Webhook verpasst, während er angehalten war.'
      : `${shown} Ereignisse hat der Webhook verpasst, während er angehalten war.`,
  expired: (count: number, shown: string) =>
    count === 1
      ? 'Ein Ereignis ist verfallen: Es lässt sich nicht mehr zustellen, weil seine Aufbewahrungszeit vorbei ist.'
      : `${shown} Ereignisse sind verfallen: Sie lassen sich nicht mehr zustellen, weil ihre Aufbewahrungszeit vorbei ist.`,
  catchingUp: (left: string, all: string) =>
    `Verpasstes wird nachgeliefert: noch ${left} von ${all} Ereignissen.`,
  notDelivered: 'Nicht zugestellt',
  health: 'Zustand',
  period: 'Zeitraum',
  periods: { '1h': '1 Stunde', '24h': '24 Stunden', '7d': '7 Tage', '30d': '30 Tage' },
  rate: 'Erfolgreich',
  rateHint: (delivered: string, failed: string) =>
    `${delivered} zugestellt, ${failed} fehlgeschlagen`,
  times: 'Dauer (typisch / 95\u00a0%)',
  timesHint:
    'Dauer: Die Hälfte der Versuche dauerte höchstens so lange wie der erste Wert, 95 von 100 höchstens so lange wie der zweite.',
  took: (half: string, nearlyAll: string) =>
    `die Hälfte der Versuche dauerte höchstens ${half}, 95 von 100 höchstens ${nearlyAll}`,
  retried: 'Wiederholungen',
  retriedHint: 'fehlgeschlagene Versuche, die wiederholt wurden',
  reasons: 'Häufigste Gründe',
  first: 'Zuerst',
  latest: 'Zuletzt',
  day: '24 Stunden',
  setUp: 'Einrichtung',
  change: 'Ändern',
  forDevelopers: 'Für Entwickler',
  pause: 'Anhalten',
  pauseText:
    'Solange er angehalten ist, wird nichts gesendet. Was inzwischen geschieht, lässt sich nachliefern.',
  pauseReason: 'Grund (wenn Sie möchten)',
  pauseExample: 'CRM wird umgestellt',
  pauseSure: 'Webhook anhalten',
  ending: 'Anhalten oder löschen',
  remove: 'Webhook löschen',
  gone: 'Den Webhook gibt es nicht mehr.',
  removeTitle: (name: string) => `„${name}“ löschen?`,
  removeText:
    'Danach wird nichts mehr dorthin gesendet, und was noch nicht zugestellt ist, verfällt. Das lässt sich nicht rückgängig machen.',
  removeName: (name: string) => `Geben Sie zur Sicherheit den Namen ein: ${name}`,
  removeStart: (start: string) => `Geben Sie zur Sicherheit den Anfang des Namens ein: ${start}`,
  removeSure: 'Endgültig löschen',
  removeWrong: 'Es wurde nichts gelöscht: Der Name stimmt nicht überein.',
  about: 'Betrifft',
  facts: {
    failures: 'Fehlgeschlagen',
    waiting: 'Wartet auf Wiederholung',
    untried: 'Noch nicht gesendet',
    catchingUp: 'Wird nachgeliefert',
    missed: 'Verpasst',
  },
  oldest: 'das älteste',
  ofThemExpired: (shown: string) => `davon ${shown} verfallen`,
  reactivateMissed: 'Wieder einschalten und alles nachliefern',
  reactivate: 'Nur wieder einschalten',
  reactivateText: '„Nur wieder einschalten“ liefert nichts nach.',
  reactivateUntried: (count: number, shown: string) =>
    count === 1
      ? 'Ein wartendes Ereignis gilt dann als verpasst.'
      : `${shown} wartende Ereignisse gelten dann als verpasst.`,
  reactivateWaiting: (count: number, shown: string) =>
    count === 1
      ? 'Eine Wiederholung gilt dann als fehlgeschlagen.'
      : `${shown} Wiederholungen gelten dann als fehlgeschlagen.`,
  reactivateLater: 'Nachliefern oder verwerfen können Sie es danach auf dieser Seite.',
  sendAll: 'Alle noch einmal senden',
  deliverMissed: 'Alles nachliefern',
  dismiss: 'Verwerfen',
  dismissAsk: (count: number, shown: string) =>
    count === 1 ? 'Ein Ereignis verwerfen?' : `${shown} Ereignisse verwerfen?`,
  dismissSure: 'Ja, verwerfen',
  dismissText:
    'Verworfenes wird nicht mehr zugestellt. Es verschwindet aus den Listen und Zählern hier und bleibt nur in den Diagrammen; unter „Ereignisse“ stehen die Ereignisse selbst, bis ihre Aufbewahrungszeit vorbei ist.',
  dismissTests: 'Fehlgeschlagene Testereignisse verwerfen',
  dismissTestsText:
    'Sie verschwinden aus dieser Liste. Testereignisse enthalten nur erfundene Daten; Ihnen geht nichts verloren.',
  cursor: 'Ab diesem Cursor steht im Feed alles, was der Webhook noch nicht bekommen hat.',
  test: 'Testereignis senden',
  testPaused: 'Ein Testereignis lässt sich senden, sobald der Webhook eingeschaltet ist.',
  testText: 'Der Empfänger bekommt ein erfundenes Beispiel; Sie sehen gleich, was er antwortet.',
  testType: 'Ereignis',
  secret: 'Signatur-Geheimnis',
  secretText: 'Mit dem Geheimnis prüft der Empfänger, ob eine Zustellung wirklich von hier kommt.',
  rotate: 'Neues Geheimnis erzeugen',
  rotateAsk: 'Ein schon laufender Wechsel wird dabei abgebrochen.',
  rotateKeeps: 'Das alte bleibt noch 24 Stunden gültig.',
  rotateSure: 'Jetzt erzeugen',
  secretTitle: (name: string) => `Neues Geheimnis für „${name}“`,
  rotateNext:
    'Signiert wird zunächst weiter mit dem bisherigen Geheimnis. Sobald der Empfänger das neue kennt, wählen Sie auf der Seite des Webhooks „Neues Geheimnis jetzt verwenden“. Nach 24 Stunden gilt von selbst nur noch das neue.',
  once: 'Dies ist das neue Geheimnis. Es wird nur dieses eine Mal gezeigt: Kopieren Sie es jetzt und tragen Sie es beim Empfänger ein.',
  onceDone: 'Ich habe es kopiert',
  overlap: 'Das bisherige und das neue Geheimnis gelten beide bis',
  overlapLeads:
    'Bis zur Umstellung wird noch mit dem bisherigen Geheimnis signiert. Stellen Sie um, sobald der Empfänger das neue kennt.',
  overlapSwitched: 'Signiert wird schon mit dem neuen.',
  switch: 'Neues Geheimnis jetzt verwenden',
  deliveries: 'Zustellungen',
  filter: 'Nach Status filtern',
  allStates: 'alle',
  waitingInTurn: (count: number, shown: string) =>
    count === 1
      ? 'Ein weiteres Ereignis wartet, bis es an der Reihe ist.'
      : `${shown} weitere Ereignisse warten, bis sie an der Reihe sind.`,
  waitingForStart: (count: number, shown: string) =>
    count === 1
      ? 'Ein weiteres Ereignis wartet. Gesendet wird es, wenn Sie beim Einschalten nachliefern.'
      : `${shown} weitere Ereignisse warten. Gesendet werden sie, wenn Sie beim Einschalten nachliefern.`,
  noDeliveries: 'Keine Zustellungen mit diesem Status.',
  nothingDelivered:
    'Noch nichts zugestellt. Ob der Empfänger Ereignisse annimmt, zeigt ein Testereignis.',
  event: 'Ereignis',
  at: 'Zeitpunkt',
  attempts: 'Versuche',
  noSecretsKey:
    'Es fehlt der Schlüssel SECRETS_KEY; ohne ihn kann kein Geheimnis gespeichert werden.',
  /** What a message becomes on a page that is still open when something came of its delivery. */
  outcomes: {
    tested: {
      delivered: 'Das Testereignis ist angekommen.',
      failed: 'Das Testereignis ist nicht angekommen. Unten steht, warum.',
      retrying:
        'Das Testereignis ist noch nicht angekommen. Unten steht, warum, und wann es wieder versucht wird.',
    },
    redelivered: {
      delivered: 'Die Zustellung ist angekommen.',
      failed: 'Die Zustellung ist fehlgeschlagen. Unten steht, warum.',
      retrying:
        'Die Zustellung ist noch nicht angekommen. Unten steht, warum, und wann es wieder versucht wird.',
    },
  },
  done: {
    changed: 'Die Änderung ist gespeichert und gilt ab sofort.',
    paused: 'Der Webhook ist angehalten. Es wird nichts gesendet, bis Sie ihn wieder einschalten.',
    removed: 'Der Webhook ist gelöscht.',
    reactivated: (count: number, shown: string) => {
      const active = 'Der Webhook ist wieder eingeschaltet.'
      if (count === 0) return active
      return count === 1
        ? `${active} Ein Ereignis hat er nicht bekommen; Sie können es nachliefern oder verwerfen.`
        : `${active} ${shown} Ereignisse hat er nicht bekommen; Sie können sie nachliefern oder verwerfen.`
    },
    caught_up:
      'Der Webhook ist wieder eingeschaltet. Was er nicht bekommen hat, wird nachgeliefert.',
    missed: (count: number, shown: string) => {
      if (count === 0) return 'Es gab nichts nachzuliefern.'
      return count === 1
        ? 'Ein Ereignis wird nachgeliefert.'
        : `${shown} Ereignisse werden nachgeliefert.`
    },
    found_again: (count: number, shown: string) => {
      if (count === 0) return 'Es gab nichts zu senden.'
      return count === 1
        ? 'Eine Zustellung wird noch einmal gesendet.'
        : `${shown} Zustellungen werden noch einmal gesendet.`
    },
    dismissed: (count: number, shown: string) => {
      if (count === 0) return 'Es gab nichts zu verwerfen.'
      const left = 'Hier bleibt das nur in den Diagrammen.'
      return count === 1
        ? `Ein Ereignis ist verworfen. ${left}`
        : `${shown} Ereignisse sind verworfen. ${left}`
    },
    dismissed_tests: 'Die fehlgeschlagenen Testereignisse sind verworfen.',
    tested: 'Das Testereignis ist unterwegs. Das Ergebnis steht gleich unten.',
    switched: 'Ab jetzt wird mit dem neuen Geheimnis signiert.',
    redelivered: 'Die Zustellung ist unterwegs. Das Ergebnis steht gleich unten.',
    refused_more: (count: number, shown: string) =>
      `${count === 1 ? 'Inzwischen ist es ein Ereignis' : `Inzwischen sind es ${shown} Ereignisse`}. Bitte bestätigen Sie noch einmal.`,
    refused_gone: 'Das ging nicht: Den Webhook gibt es nicht mehr.',
    refused_paused: 'Das ging nicht: Der Webhook ist angehalten.',
    refused_active: 'Das war nicht nötig: Der Webhook ist schon eingeschaltet.',
    refused_resumed: 'Das ging nicht: Der Webhook ist inzwischen wieder eingeschaltet.',
    refused_type: 'Das ging nicht: Der Webhook bekommt diese Art von Ereignis nicht.',
    refused_switched: 'Das war nicht nötig: Es wird schon mit dem neuen Geheimnis signiert.',
    refused_event: 'Das ging nicht: Das Ereignis ist nicht mehr da.',
    refused_sending: 'Das ging nicht: Die Zustellung läuft gerade.',
  },
}
