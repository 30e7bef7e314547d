// What the dashboard says, in German.
import type { EventType } from '../../model/event_type.ts'
import { type FailureReason, failureNames } from '../../model/failure_names.ts'
import type { HookState } from '../../model/hook_health.ts'
import type { Scope } from '../../model/scope.ts'

const eventNames: Record<EventType, string> = {
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

const eventTexts: Record<EventType, string> = {
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

const scopeNames: Record<Scope, string> = {
  'read:leads': 'Leads lesen: Namen, Adressen und Stand Ihrer Interessenten',
  'read:analyses': 'Bedarfsanalysen lesen, auch Gesundheitsangaben daraus',
  'read:kontakte': 'Kontakte und Haushaltsprofile lesen',
  'read:appointments': 'Termine lesen',
  'read:meetings': 'Gesprächsauswertungen lesen',
  'read:signals': 'Vertriebsimpulse lesen',
  'read:events': 'Alle Ereignisse lesen',
  'write:hooks': 'Webhooks einrichten und löschen',
}

const scopeShort: Record<Scope, string> = {
  'read:leads': 'Leads',
  'read:analyses': 'Analysen',
  'read:kontakte': 'Kontakte',
  'read:appointments': 'Termine',
  'read:meetings': 'Gespräche',
  'read:signals': 'Vertriebsimpulse',
  'read:events': 'Ereignisse',
  'write:hooks': 'Webhooks einrichten',
}

const reasons: Record<FailureReason, string> = {
  dns: 'Der Name der Adresse lässt sich nicht auflösen. Ist sie richtig geschrieben, gibt es die Domain noch?',
  connect: 'Der Server nimmt keine Verbindung an oder bricht sie ab. Läuft er?',
  tls: 'Das Zertifikat des Servers stimmt nicht: abgelaufen, für einen anderen Namen oder nicht von einer anerkannten Stelle ausgestellt.',
  timeout: 'Der Server hat nicht rechtzeitig geantwortet.',
  blocked: 'Die Adresse führt in ein privates oder gesperrtes Netz; dorthin wird nichts gesendet.',
  redirect:
    'Der Server leitet weiter. Webhooks folgen keiner Weiterleitung: Die Adresse muss die endgültige sein.',
  unauthorized:
    'Der Server verlangt eine Anmeldung oder lehnt sie ab. Hat sich beim Empfänger ein Zugang geändert?',
  not_found:
    'Unter dieser Adresse gibt es nichts (mehr). Wurde der Empfänger gelöscht oder umgezogen?',
  gone: 'Der Empfänger meldet, dass es ihn endgültig nicht mehr gibt. Vermutlich wurde die Automatisierung dort gelöscht oder ausgeschaltet.',
  overloaded: 'Der Server meldet, dass er zu viele Anfragen bekommt.',
  rejected: 'Der Server lehnt das Ereignis ab. In seiner Antwort steht meist, warum.',
  server_error:
    'Der Server des Empfängers hat einen Fehler. Bitte wenden Sie sich an dessen Anbieter.',
}

const states: Record<HookState, string> = {
  paused: 'nach Fehlern angehalten',
  pausedByOwner: 'von Ihnen angehalten',
  failing: 'schlägt fehl',
  incomplete: 'nicht alles zugestellt',
  retrying: 'wird wiederholt',
  behind: 'liegt zurück',
  new: 'noch nichts zugestellt',
  well: 'in Ordnung',
}

const verdicts: Record<HookState, string> = {
  paused:
    'Zehn Zustellungen nacheinander sind endgültig fehlgeschlagen. Seitdem wird nichts gesendet; was inzwischen geschieht, ist aufgehoben und wird nach dem Einschalten nachgeliefert.',
  pausedByOwner:
    'Sie haben diesen Webhook angehalten. Es wird nichts gesendet; was inzwischen geschieht, ist aufgehoben.',
  failing:
    'Zustellungen schlagen endgültig fehl. Nach zehn nacheinander wird der Webhook angehalten.',
  incomplete: 'Neues kommt an, aber nicht alles ist angekommen.',
  retrying: 'Der letzte Versuch ist fehlgeschlagen; weitere folgen von selbst.',
  behind:
    'Ereignisse warten länger als üblich. Es ist nichts verloren: Alles wird zugestellt, sobald der Empfänger antwortet.',
  new: 'Bisher wurde nichts zugestellt. Ob der Empfänger Ereignisse annimmt, zeigt ein Testereignis.',
  well: 'Ereignisse kommen an.',
}

/** How many of something, in German. */
const count = (one: string, many: (shown: string) => string) => (number: number, shown: string) =>
  number === 1 ? one : many(shown)

export const de = {
  language: 'de' as const,
  other: { code: 'en', name: 'English' },
  product: 'Workspace Data API',
  pages: {
    overview: 'Übersicht',
    webhooks: 'Webhooks',
    events: 'Ereignisse',
    keys: 'API-Schlüssel',
    privacy: 'Datenschutz',
    system: 'System',
  },
  docs: 'Schnittstelle',
  skip: 'Zum Inhalt',
  navigation: 'Bereiche',
  signOut: 'Abmelden',
  never: 'nie',
  now: 'gerade eben',
  atLeast: (number: string) => `mindestens ${number}`,
  older: 'Ältere',
  newest: 'Zu den neuesten',
  copy: 'Kopieren',
  copied: 'Kopiert',
  show: 'Anzeigen',
  search: 'Suche',
  state: 'Status',
  action: 'Aktion',
  event: 'Ereignis',
  about: 'Betrifft',
  at: 'Zeitpunkt',
  answered: (status: number) => `Antwort ${status}.`,
  answerHeaders: 'Kopfzeilen der Antwort',
  excerpt: 'Auszug der Antwort',
  trouble: (number: number) =>
    number === 1
      ? 'Ein Webhook braucht Ihre Aufmerksamkeit.'
      : `${number} Webhooks brauchen Ihre Aufmerksamkeit.`,
  over: 'Ihre Sitzung ist zu Ende; hier erscheint nichts Neues mehr.',
  noAnswer: 'Der Dienst antwortet gerade nicht. Was Sie hier sehen, ist der Stand von',
  eventNames,
  eventTexts,
  eventGroups: {
    leads: 'Leads',
    analyses: 'Analysen',
    kontakte: 'Kontakte und Haushalte',
    appointments: 'Termine und Gespräche',
    signals: 'Vertriebsimpulse',
    documents: 'Beratungsdokumente',
  },
  scopeNames,
  scopeShort,
  reasons,
  shortReasons: failureNames.de,
  chartNames: ['zugestellt', 'Versuche, die wiederholt werden', 'endgültig fehlgeschlagen'],
  codes: {
    invalid_request: 'ungültiger Parameter',
    invalid_id: 'ungültige Kennung',
    invalid_json: 'Inhalt ist kein JSON',
    invalid_cursor: 'unbekannter Cursor',
    invalid_types: 'unbekannte Ereignisart',
    unknown_event_type: 'unbekannte Ereignisart',
    invalid_event_types: 'unbekannte Ereignisart',
    invalid_subscription: 'Webhook nicht angenommen',
    missing_target_url: 'Adresse fehlt',
    missing_scope: 'Recht fehlt',
    not_found: 'nicht gefunden',
    cursor_expired: 'Cursor abgelaufen',
    rate_limited: 'Grenze überschritten',
    internal_error: 'Fehler im Dienst',
  },
  signIn: {
    title: 'Anmelden',
    intro: 'Hier verwalten Sie, welche Anwendungen Daten dieses Arbeitsbereichs bekommen.',
    password: 'Passwort',
    reveal: 'Passwort zeigen',
    button: 'Anmelden',
    wrong: 'Das Passwort stimmt nicht.',
    wait: (seconds: number) =>
      `Zu viele Versuche. Bitte warten Sie ${seconds === 1 ? 'eine Sekunde' : `${seconds} Sekunden`} und versuchen Sie es dann erneut.`,
    ended: 'Bitte melden Sie sich an. Ihre letzte Sitzung ist zu Ende.',
    unknownName:
      'Unter dieser Adresse lässt der Dienst keine Anmeldung zu. Bitte sagen Sie dem Betreiber Bescheid: Er gibt sie mit der Einstellung PUBLIC_URL frei.',
    undone:
      'Ihre Sitzung war zu Ende, bevor das Formular ankam. Es wurde nichts ausgeführt. Melden Sie sich an, und schicken Sie es noch einmal ab.',
    lost: 'Passwort vergessen?',
    lostFile:
      'Der Betreiber löscht die Datei dashboard_password im Datenverzeichnis (DATA_DIR) und startet den Dienst neu: Er zeigt beim Start ein neues. Oder er setzt eines mit DASHBOARD_PASSWORD.',
    lostSetting:
      'Der Betreiber setzt mit DASHBOARD_PASSWORD ein neues und startet den Dienst neu. Alle Sitzungen enden damit.',
  },
  off: {
    title: 'Das Dashboard ist ausgeschaltet',
    text: 'Der Betreiber schaltet es ein, indem er DASHBOARD_PASSWORD setzt und den Dienst neu startet.',
  },
  problem: {
    missing: 'Diese Seite gibt es nicht',
    missingText:
      'Die Adresse ist falsch geschrieben, oder was hier stand, ist gelöscht oder abgelaufen.',
    refused: 'Das wurde nicht ausgeführt',
    refusedText:
      'Das Formular war zu alt oder kam nicht von dieser Seite. Es wurde nichts geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    tooLarge: 'Das Formular war zu groß. Es wurde nichts geändert. Kürzen Sie Ihre Eingaben.',
    unreadable:
      'Das Formular kam nicht vollständig an oder enthielt einen Wert, der nicht zur Auswahl steht. Es wurde nichts geändert.',
    back: 'Zurück zur Seite',
    unsaved:
      'Ob Ihre Eingabe gespeichert wurde, ist nicht sicher. Sehen Sie nach, bevor Sie es noch einmal versuchen.',
    fault: 'Da ist etwas schiefgegangen',
    faultText: (id: string) =>
      `Der Fehler liegt beim Dienst, nicht bei Ihnen. Wenn er bleibt, nennen Sie dem Betreiber diese Nummer: ${id}`,
  },
  overview: {
    well: 'Alles läuft.',
    wellText: 'Ereignisse kommen an, und keinem Webhook fehlt etwas.',
    calm: 'Keine Störung.',
    calmText: 'Was noch aussteht, kommt von selbst an, oder Sie haben es angehalten.',
    stopped: 'Es wird nichts zugestellt.',
    stoppedText:
      'Ereignisse warten, aber der Teil des Dienstes, der sie verarbeitet (der Worker), läuft offenbar nicht. Bitte sagen Sie dem Betreiber Bescheid.',
    repair: (name: string) => `„${name}“ beheben`,
    problems: 'Was offen ist',
    arrived: 'Angekommen',
    ofAll: (arrived: string, all: string) => `${arrived} von ${all}`,
    arrivedHint: 'Zustellungen der letzten 24 Stunden',
    arrivedNone: 'keine Zustellungen in 24 Stunden',
    missing: 'Noch nicht angekommen',
    missingNone: 'nichts wartet',
    missingHint: 'wartet, ist fehlgeschlagen oder angehalten',
    requests: 'API-Anfragen',
    requestsHint: (refused: string, limited: string) =>
      `in 24 Stunden, davon ${refused} abgelehnt und ${limited} über der Grenze.`,
    toKeys: 'Nach Schlüssel',
    events: 'Neueste Ereignisse',
  },
  first: {
    title: 'Die ersten Schritte',
    key: 'Ein Schlüssel, mit dem eine Anwendung Ihre Daten lesen darf.',
    keyAction: 'Schlüssel anlegen',
    hook: 'Eine Anwendung, die Ereignisse bekommt: CRM, Zapier, Make oder ein eigenes Programm.',
    hookAction: 'Webhook anlegen',
    test: 'Ein erstes Ereignis, das ankommt.',
    testAction: 'Test senden',
    notices: 'Eine E-Mail an Sie, wenn etwas nicht ankommt.',
    noticesAction: 'Benachrichtigung einrichten',
  },
  keys: {
    intro:
      'Ein Schlüssel öffnet einer Anwendung (CRM, Skript, Assistent) die Daten dieses Arbeitsbereichs. Geben Sie jeder Anwendung einen eigenen, mit so wenig Rechten wie möglich.',
    empty: 'Noch kein gültiger Schlüssel.',
    label: 'Bezeichnung',
    labelHint: 'Wofür er ist, zum Beispiel „CRM“.',
    scopes: 'Rechte',
    expires: 'Gültigkeit',
    expiry: { '': 'ohne Ablauf', '30': '30 Tage', '90': '90 Tage', '365': 'ein Jahr' },
    create: 'Schlüssel anlegen',
    new: 'Neuer Schlüssel',
    lastUsed: 'Zuletzt benutzt',
    live: 'gültig',
    until: 'gültig bis',
    soon: 'läuft bald ab:',
    replaced: (prefix: string) => `abgelöst durch ${prefix}, gilt noch bis`,
    revoked: 'widerrufen',
    expired: 'abgelaufen',
    over: (number: number) =>
      number === 1
        ? 'Ein Schlüssel, der nicht mehr gilt'
        : `${number} Schlüssel, die nicht mehr gelten`,
    revoke: 'Widerrufen',
    revokeAsk: (label: string) =>
      `„${label}“ endgültig widerrufen? Die Anwendung verliert sofort den Zugang.`,
    revokeSure: 'Ja, widerrufen',
    rotate: 'Erneuern',
    rotateAsk: (label: string) =>
      `Sie bekommen einen neuen Schlüssel für „${label}“ mit denselben Rechten. Der bisherige gilt noch 24 Stunden, wenn er nicht vorher abläuft.`,
    rotateSure: 'Neuen Schlüssel anlegen',
    presets: 'Vorlagen',
    presetNames: { crm: 'CRM, nur lesen', zapier: 'Zapier, Make, n8n', assistant: 'Assistent' },
    presetLabels: { crm: 'CRM', zapier: 'Zapier', assistant: 'Assistent' },
    tryIt: 'Ausprobieren mit curl',
    usage: 'Anfragen in 24 Stunden',
    unused: 'Keine Anfragen in 24 Stunden.',
    answered: 'beantwortet',
    refused: 'abgelehnt',
    limited: 'über der Grenze',
    overLimit: (limit: string, limited: string) =>
      `Grenze: ${limit} Anfragen in der Minute. Darüber waren ${limited}; die Anwendung bekam 429 und sollte langsamer fragen.`,
    withinLimit: (limit: string) => `Grenze: ${limit} Anfragen in der Minute; nie überschritten.`,
    commonest: 'Häufigster Grund einer Ablehnung:',
    lastRefusal: 'Zuletzt abgelehnt',
    badLabel: 'Bitte geben Sie eine Bezeichnung von 1 bis 200 Zeichen an.',
    badScopes: 'Bitte wählen Sie mindestens ein Recht.',
    warnEvents:
      'Sieht mehr als die anderen Leserechte: Ereignisse enthalten Daten aus Leads, Analysen und Haushalten.',
    warnHooks:
      'Vorsicht: Damit lassen sich alle Ereignisse mit vollem Inhalt an jede Adresse im Internet senden, auch ohne ein Leserecht. Nur für Automatisierungen.',
    made: (label: string) => `„${label}“ ist angelegt.`,
    renewed: (label: string) => `„${label}“ ist erneuert. Der bisherige Schlüssel gilt noch bis`,
    renewedNext: 'Tragen Sie den neuen in der Anwendung ein, bevor der bisherige endet.',
    once: 'Dies ist der neue Schlüssel. Er wird nur dieses eine Mal gezeigt: Kopieren Sie ihn jetzt.',
    onceDone: 'Ich habe ihn kopiert',
    further: (left: string) => `Weitere (${left})`,
    done: {
      revoked: (number: number): string =>
        number === 0
          ? 'Der Schlüssel war schon widerrufen.'
          : 'Der Schlüssel ist widerrufen. Er öffnet nichts mehr.',
    },
  },
  webhooks: {
    intro:
      'Ein Webhook schickt Ereignisse von selbst an eine Adresse, zum Beispiel an Ihr CRM. Auch Anwendungen wie Zapier richten hier Webhooks ein.',
    empty: 'Noch kein Webhook. Legen Sie oben den ersten an.',
    make: 'Webhook anlegen',
    repair: 'Beheben',
    name: 'Webhook',
    unnamed: 'ohne Namen',
    gone: 'gelöschter Webhook',
    last: 'Letzte Zustellung',
    missing: 'Fehlt noch',
    states,
    verdicts,
    why: 'Warum',
    lookAtIt: 'Zustellung ansehen',
    pauseReason: 'Grund',
    catchingUp: count(
      'Ein Ereignis wird gerade zugestellt.',
      shown => `${shown} Ereignisse werden gerade zugestellt.`,
    ),
    started: 'Wird nachgeliefert',
    since: 'Seit',
    target: 'Wohin gesendet wird',
    addressStep: 'Adresse prüfen',
    addressHint: 'Die Ursache liegt vermutlich an der Adresse. Prüfen Sie sie zuerst.',
    addressChanged: 'Die Adresse ist gespeichert. Testen Sie sie als Nächstes.',
    testStep: 'Testen',
    test: 'Testereignis senden',
    testText: 'Der Empfänger bekommt ein erfundenes Beispiel; Sie sehen gleich, was er antwortet.',
    testType: 'Ereignis',
    testArrived: 'Das Testereignis ist angekommen.',
    testFailed: 'Das Testereignis ist nicht angekommen.',
    reactivateStep: 'Wieder einschalten',
    reactivate: 'Einschalten und alles nachliefern',
    undelivered: count(
      'Ein Ereignis ist aufgehoben und wird nachgeliefert.',
      shown => `${shown} Ereignisse sind aufgehoben und werden nachgeliefert.`,
    ),
    nothingMissing: 'Es wartet nichts.',
    fromHead: 'Ohne Nachliefern einschalten',
    fromHeadText:
      'Der Webhook bekommt dann nur, was ab jetzt geschieht. Was er verpasst hat, kann der Empfänger selbst über die API abholen.',
    fromHeadSure: 'Ab jetzt einschalten',
    keepPaused: 'Angehalten lassen',
    keepPausedText:
      'Der Webhook bleibt angehalten und gilt nicht mehr als Störung. Sie können ihn jederzeit wieder einschalten.',
    waitStep: 'Abwarten',
    waitText:
      'Der Webhook ist eingeschaltet. Sobald der Empfänger annimmt, geht es von selbst weiter.',
    failures: count(
      'Eine Zustellung ist endgültig fehlgeschlagen.',
      shown => `${shown} Zustellungen sind endgültig fehlgeschlagen.`,
    ),
    expired:
      'Ereignisse sind abgelaufen, bevor sie zugestellt waren: Ihre Aufbewahrungszeit ist vorbei.',
    sendAgainAll: count('Noch einmal senden', shown => `Alle ${shown} noch einmal senden`),
    sendAgain: 'Noch einmal senden',
    dismiss: 'Verwerfen',
    dismissText:
      'Verworfenes wird nicht mehr zugestellt und verschwindet hier. Die Ereignisse selbst bleiben unter „Ereignisse“.',
    dismissSure: 'Ja, verwerfen',
    deliveries: 'Zustellungen',
    filter: 'Nach Status filtern',
    deliveryStates: {
      failed: 'fehlgeschlagen',
      waiting: 'wartet auf Wiederholung',
      delivered: 'zugestellt',
      pending: 'noch nicht gesendet',
    },
    behind: count(
      'Ein weiteres Ereignis wartet, bis es an der Reihe ist.',
      shown => `${shown} weitere Ereignisse warten, bis sie an der Reihe sind.`,
    ),
    behindPaused: count(
      'Ein weiteres Ereignis wartet, bis Sie den Webhook einschalten.',
      shown => `${shown} weitere Ereignisse warten, bis Sie den Webhook einschalten.`,
    ),
    noDeliveries: 'Keine Zustellungen mit diesem Status.',
    nothingDelivered: 'Noch nichts zugestellt.',
    answer: 'Antwort',
    attempts: 'Versuche',
    next: 'Nächster Versuch',
    soon: 'so bald wie möglich',
    onceActive: 'nach dem Einschalten',
    history: (name: string, attempts: string) => `Verlauf bei „${name}“ (Versuche: ${attempts})`,
    attempts24: 'Zustellversuche in 24 Stunden',
    attemptsNone: 'Keine.',
    setUp: 'Einrichtung',
    changeEvents: 'Name und Ereignisse ändern',
    replay: 'Ab einem Zeitpunkt noch einmal senden',
    replayText:
      'Alles, was seitdem geschah, wird noch einmal gesendet. Empfänger erkennen Doppeltes an der Kennung des Ereignisses.',
    replaySince: 'Seit',
    utc: 'Weltzeit (UTC)',
    replaySure: 'Noch einmal senden',
    badMoment: 'Bitte geben Sie Datum und Uhrzeit an, in der Vergangenheit.',
    expiredMoment:
      'So weit geht es nicht: Der Zeitpunkt liegt vor der Aufbewahrungszeit oder nach dem letzten gesendeten Ereignis.',
    secret: 'Signatur-Geheimnis',
    secretText:
      'Mit dem Geheimnis prüft der Empfänger, ob eine Zustellung wirklich von hier kommt. Zapier und Make brauchen es nicht.',
    rotate: 'Neues Geheimnis erzeugen',
    rotateAsk: 'Ein schon laufender Wechsel wird dabei abgebrochen.',
    rotateKeeps: 'Das bisherige bleibt noch 24 Stunden gültig.',
    rotateSure: 'Jetzt erzeugen',
    secretTitle: (name: string) => `Neues Geheimnis für „${name}“`,
    rotateNext:
      'Signiert wird zunächst weiter mit dem bisherigen Geheimnis. Sobald der Empfänger das neue kennt, wählen Sie auf der Seite des Webhooks „Neues Geheimnis jetzt verwenden“. Nach 24 Stunden gilt von selbst nur noch das neue.',
    once: 'Dies ist das neue Geheimnis. Es wird nur dieses eine Mal gezeigt: Kopieren Sie es jetzt und tragen Sie es beim Empfänger ein.',
    onceDone: 'Ich habe es kopiert',
    overlap: 'Das bisherige und das neue Geheimnis gelten beide bis',
    overlapLeads:
      'Bis zur Umstellung wird noch mit dem bisherigen signiert. Stellen Sie um, sobald der Empfänger das neue kennt.',
    overlapSwitched: 'Signiert wird schon mit dem neuen.',
    switch: 'Neues Geheimnis jetzt verwenden',
    noSecretsKey:
      'Es fehlt der Schlüssel SECRETS_KEY; ohne ihn kann kein Geheimnis gespeichert werden.',
    ending: 'Anhalten oder löschen',
    pause: 'Anhalten',
    pauseText:
      'Solange er angehalten ist, wird nichts gesendet. Was inzwischen geschieht, wird beim Einschalten nachgeliefert.',
    pauseReasonAsk: 'Grund (wenn Sie möchten)',
    pauseExample: 'CRM wird umgestellt',
    pauseSure: 'Webhook anhalten',
    remove: 'Löschen',
    removeText:
      'Danach wird nichts mehr dorthin gesendet, und was noch nicht zugestellt ist, entfällt. Das lässt sich nicht rückgängig machen.',
    removeCheck: (name: string) => `Ja, „${name}“ endgültig löschen`,
    removeSure: 'Endgültig löschen',
    removeUnsure: 'Es wurde nichts gelöscht: Bitte setzen Sie das Häkchen.',
    forDevelopers: 'Für Entwickler',
    source: 'Eingerichtet von',
    sources: { api: 'Ihnen, im Dashboard oder über die API', zapier: 'Zapier', make: 'Make' },
    created: 'Eingerichtet',
    id: 'Kennung',
    done: {
      removed: 'Der Webhook ist gelöscht.',
      changed: 'Die Änderung ist gespeichert und gilt ab sofort.',
      switched: 'Ab jetzt wird mit dem neuen Geheimnis signiert.',
      refused_switched: 'Das war nicht nötig: Es wird schon mit dem neuen Geheimnis signiert.',
    },
    hookDone: {
      reactivated: count(
        'Der Webhook ist wieder eingeschaltet.',
        () => 'Der Webhook ist wieder eingeschaltet. Was fehlt, wird nachgeliefert.',
      ),
      reactivated_head: (number: number): string =>
        `Der Webhook ist ab jetzt wieder eingeschaltet. Was er verpasst hat, steht in der API hinter Cursor ${number}.`,
      paused:
        'Der Webhook ist angehalten. Es wird nichts gesendet, bis Sie ihn wieder einschalten.',
      replayed: 'Alles seit diesem Zeitpunkt wird noch einmal gesendet.',
      sent_again: count(
        'Die Zustellung wird noch einmal gesendet. Was daraus wird, steht hier.',
        shown => `${shown} Zustellungen werden noch einmal gesendet. Was daraus wird, steht hier.`,
      ),
      dismissed: count(
        'Eine Zustellung ist verworfen.',
        shown => `${shown} Zustellungen sind verworfen.`,
      ),
      refused_active: 'Das war nicht nötig: Der Webhook ist schon eingeschaltet.',
      refused_type: 'Das ging nicht: Der Webhook bekommt diese Art von Ereignis nicht.',
      refused_secret:
        'Das ging nicht: Das Geheimnis des Webhooks lässt sich nicht lesen. Erzeugen Sie unten ein neues.',
      refused_keys:
        'Es fehlt der Schlüssel SECRETS_KEY; ohne ihn kann kein Geheimnis gespeichert werden.',
      refused_gone: 'Das ging nicht: Das Ereignis ist nicht mehr da.',
      refused_unlisted: 'Das ging nicht: Der Webhook bekommt diese Art von Ereignis nicht mehr.',
      refused_waiting: 'Das war nicht nötig: Der nächste Versuch steht schon an.',
      refused_not_sent:
        'Nichts gesendet: Das Ereignis kommt noch an die Reihe oder ist älter als der Webhook.',
    },
  },
  hookForm: {
    newTitle: 'Webhook anlegen',
    kind: 'Was möchten Sie anbinden?',
    kinds: { crm: 'CRM', zapier: 'Zapier', make: 'Make oder n8n', own: 'Eigenes Programm' },
    steps: {
      crm: 'Suchen Sie in Ihrem CRM die Adresse, an die Ereignisse geschickt werden sollen (oft „Webhook-URL“), und fügen Sie sie hier ein.',
      zapier:
        'Wählen Sie im Zap-Editor „Webhooks by Zapier“ und dort „Catch Hook“. Fügen Sie die angezeigte Adresse hier ein; ein Testereignis füllt danach die Felder.',
      make: 'Legen Sie in Make ein Modul „Custom webhook“ oder in n8n einen Knoten „Webhook“ mit POST an, und fügen Sie dessen Adresse hier ein.',
      own: 'Geben Sie die Adresse Ihres Programms an. Wie es Signaturen prüft, steht unter „Schnittstelle“.',
    },
    label: 'Name',
    target: 'Adresse',
    targetHint:
      'Die Adresse nennt Ihnen das Programm, das empfangen soll. Sie beginnt mit https://.',
    types: 'Ereignisse',
    typesHint:
      'Wählen Sie nur, was der Empfänger braucht: Jedes Ereignis enthält personenbezogene Daten.',
    all: 'Alle wählen',
    create: 'Anlegen',
    save: 'Speichern',
    saveAddress: 'Adresse speichern',
    cancel: 'Abbrechen',
    changed:
      'Es wurde nichts gespeichert: Der Webhook ist inzwischen geändert worden, vielleicht in einem anderen Fenster. Bitte prüfen Sie Ihre Auswahl und speichern Sie noch einmal.',
    noTarget: 'Bitte geben Sie die Adresse an.',
    noTypes: 'Bitte wählen Sie mindestens ein Ereignis.',
    badLabel: 'Der Name darf höchstens 200 Zeichen haben.',
    badTarget: 'Das ist keine Adresse, an die etwas geschickt werden kann.',
    noHttps: 'Die Adresse muss mit https:// beginnen.',
    credentials: 'Die Adresse darf keinen Benutzernamen und kein Passwort enthalten.',
    privateTarget:
      'Die Adresse führt in ein privates oder gesperrtes Netz; dorthin wird nichts gesendet. Der Betreiber kann das Netz freigeben (WEBHOOK_ALLOWED_NETWORKS).',
    tooMany: 'Es gibt schon so viele Webhooks wie erlaubt. Löschen Sie erst einen.',
    unknownHost: (host: string) =>
      `Der Name ${host} lässt sich zurzeit nicht auflösen. Ist die Adresse richtig geschrieben?`,
    madeTitle: (name: string) => `„${name}“ ist angelegt`,
    made: 'Der Webhook ist angelegt. Sein Geheimnis wird nur dieses eine Mal gezeigt: Kopieren Sie es jetzt.',
    next: 'Schicken Sie als Nächstes ein Testereignis; Sie sehen gleich, was der Empfänger antwortet.',
  },
  events: {
    filter: 'Nach Art filtern',
    all: 'Alle',
    show: 'Ereignisse zeigen',
    searchHint:
      'Name, E-Mail-Adresse, Telefonnummer, Kontakt-Schlüssel, Lead-Nummer, Kennung oder Cursor',
    empty: 'Noch keine Ereignisse.',
    emptyExpired: 'Keine Ereignisse mehr: Die Aufbewahrungszeit der früheren ist vorbei.',
    emptyType: 'Keine Ereignisse dieser Art.',
    noneFound: 'Kein Ereignis und keine Person gefunden.',
    whichPerson: 'Welche Person meinen Sie?',
    manyPeople: (max: string) =>
      `Das tragen viele; hier stehen die neuesten ${max}. Mit mehr vom Namen finden Sie die richtige Person. Welche meinen Sie?`,
    ofPerson: (name: string) => `Ereignisse zu ${name}`,
    person: 'alle Ereignisse dieser Person',
    toPrivacy: 'Gespeichertes ansehen oder löschen',
    receivers: 'Zustellung',
    noReceivers: 'An keinen Webhook.',
    payload: 'Inhalt',
    personal: 'Enthält personenbezogene Daten.',
  },
  people: {
    intro:
      'Hier finden Sie, was über eine Person gespeichert ist und wer es erhalten hat, und löschen es: Leads, Analysen, Haushalt, Termine, Vertriebsimpulse und alle Ereignisse.',
    who: 'Wer?',
    whoHint: 'Name, E-Mail-Adresse, Telefonnummer oder Lead-Nummer',
    notFound: 'Niemand gefunden, auf den das passt.',
    found: 'Gefundene Personen',
    choose: 'Auswählen',
    name: 'Name',
    contact: 'Kontakt',
    made: 'Angelegt',
    keys: 'Bekannt unter',
    keyNames: { email: 'E-Mail', phone: 'Telefon', lead: 'Lead-Nr.' },
    moreLeads: (number: string) =>
      `Gezeigt sind die neuesten Leads; ${number} weitere gehören dazu.`,
    shared:
      'Diese Angaben stehen auch bei jemand anderem; was nur unter ihnen gespeichert ist, bleibt:',
    several:
      'Dazu gehören mehrere E-Mail-Adressen, und alles unter ihnen wird gelöscht. Sind es verschiedene Menschen, etwa ein Paar mit einem Telefon, dann suchen Sie mit der E-Mail-Adresse der richtigen Person.',
    others:
      'Vielleicht dieselbe Person: Diese Leads hatten früher eine der Angaben. Sie werden nicht mitgelöscht.',
    look: 'Ansehen',
    stored: 'Gespeichert',
    erased: 'Was gelöscht wurde',
    tables: {
      leads: 'Leads',
      lead_analyses: 'Bedarfsanalysen',
      haushalte: 'Haushaltsprofile',
      kontakt_aliases: 'Zusammengeführte Kontakte',
      appointments: 'Termine',
      meeting_intelligence: 'Gesprächsauswertungen',
      signals: 'Vertriebsimpulse',
      advisory_docs: 'Beratungsdokumente',
      events: 'Ereignisse',
      hook_deliveries: 'Zustellungen',
      hook_attempts: 'Zustellversuche',
    },
    recipients: 'Wer schon etwas erhalten hat',
    recipientsText:
      'Diese Webhooks haben Ereignisse über die Person bekommen oder können sie bekommen haben. Bitte teilen Sie den Empfängern mit, dass auch sie diese Daten löschen müssen.',
    noRecipients: 'Kein Webhook hat Ereignisse über die Person bekommen.',
    events: 'Ereignisse',
    received: (number: string) => `${number} erhalten`,
    possibly: (number: string) => `${number} möglicherweise erhalten`,
    when: 'Zeitraum',
    which: 'Worum es ging',
    unknown:
      'Was vor Beginn der Aufbewahrungszeit gesendet wurde und was Anwendungen mit einem API-Schlüssel selbst gelesen haben, ist hier nicht bekannt. Sicherungskopien der Datenbank bleiben, wie sie sind.',
    eraseTitle: (name: string) => `Alles über ${name} löschen`,
    eraseText: 'Das lässt sich nicht rückgängig machen.',
    check: (name: string) => `Ja, alles über ${name} endgültig löschen`,
    erase: 'Endgültig löschen',
    unchecked: 'Es wurde nichts gelöscht: Bitte setzen Sie das Häkchen.',
    busy: 'Es wurde nichts gelöscht: Die Daten dieser Person werden gerade geändert, oder es sind sehr viele. Versuchen Sie es in einigen Minuten noch einmal.',
    done: (name: string) => `${name} ist gelöscht`,
    keep: 'Dieser Bericht wird nur jetzt gezeigt und nirgends aufbewahrt.',
    save: 'Bericht speichern',
    fileName: 'loeschbericht',
    reportOf: (name: string) => `Löschbericht zu ${name}`,
    other: 'Eine andere Person',
  },
  system: {
    what: 'Was läuft',
    database: 'Datenbank',
    answers: (took: string) => `antwortet in ${took}`,
    delivering: 'Zustellung',
    runs: 'läuft',
    stopped: 'steht: Bitte sagen Sie dem Betreiber Bescheid',
    noWorker: 'zurzeit kein Worker',
    lastDelivered: 'zuletzt zugestellt',
    waiting: 'Ältestes wartendes Ereignis',
    nothingWaits: 'nichts wartet',
    waitsSince: 'wartet',
    requests: 'Anfragen',
    noFaults: 'ohne Fehler in 24 Stunden',
    faulty: (number: number) =>
      number === 1 ? 'ein Fehler in 24 Stunden' : `${number} Fehler in 24 Stunden`,
    mail: 'E-Mail',
    noMailServer: 'nicht eingerichtet',
    noAddress: 'keine Adresse eingetragen',
    mailReady: 'eingerichtet',
    mailRefused: 'die letzte kam nicht an',
    requestLimit: 'Grenze je Schlüssel',
    perMinute: (limit: string) => `${limit} Anfragen in der Minute`,
    ofMax: (number: number, max: string) => `${number} von höchstens ${max}`,
    retention: 'Aufbewahrung der Ereignisse',
    days: (days: number) => (days < 0 ? 'für immer' : days === 1 ? 'ein Tag' : `${days} Tage`),
    notices: 'Benachrichtigung an Sie',
    noticesText:
      'Wenn ein Webhook nicht zustellen kann, bekommen Sie eine E-Mail: beim 5., 8. und 10. Fehlschlag nacheinander. Beim 10. wird der Webhook angehalten.',
    noMailServerText:
      'E-Mails sind möglich, sobald der Betreiber einen Mailserver einstellt (SMTP_URL).',
    mailTo: 'E-Mail-Adressen',
    mailToHint: 'Bis zu fünf, mit Komma getrennt.',
    emptySetting: 'Leer: wie in NOTICE_TO eingestellt.',
    emptyNone: 'Leer: keine E-Mail.',
    badMailTo:
      'Bitte geben Sie eine bis fünf E-Mail-Adressen an, ohne Namen und mit Komma getrennt.',
    language: 'Sprache der E-Mails',
    languages: { de: 'Deutsch', en: 'Englisch' },
    save: 'Speichern',
    test: 'Testnachricht senden',
    mailFailures: {
      dns: 'Der Mailserver ist unter diesem Namen nicht zu finden.',
      connect: 'Der Mailserver nimmt keine Verbindung an oder bricht sie ab.',
      tls: 'Der Mailserver bietet keine sichere Verbindung an, oder sein Zertifikat stimmt nicht.',
      timeout: 'Der Mailserver hat nicht rechtzeitig geantwortet.',
      auth: 'Der Mailserver lehnt Benutzername oder Passwort ab.',
      status: 'Der Mailserver nimmt die E-Mail nicht an. Stimmen Absender und Empfänger?',
    },
    done: {
      notices_saved: 'Gespeichert. Senden Sie am besten gleich eine Testnachricht.',
      notices_sent: 'Die Testnachricht ist angenommen worden.',
      notices_waiting: 'Die Testnachricht ist noch unterwegs. Laden Sie die Seite gleich neu.',
      refused_notices_failed:
        'Die Testnachricht ist nicht angekommen. Warum, steht oben bei „E-Mail“.',
      refused_notices_none: 'Es wurde nichts gesendet: Tragen Sie zuerst eine Adresse ein.',
    },
    address: 'Adresse der API',
    version: 'Version',
  },
}
