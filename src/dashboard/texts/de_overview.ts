// What the overview says, in German.

export const overview = {
  well: 'Alles läuft.',
  wellText: 'Ereignisse kommen an, und keinem Webhook fehlt etwas.',
  calm: 'Keine Störung.',
  byOwner: (count: number) =>
    count === 1
      ? 'Einen Webhook haben Sie angehalten; dorthin wird nichts gesendet.'
      : `${count} Webhooks haben Sie angehalten; dorthin wird nichts gesendet.`,
  trouble: (count: number) =>
    count === 1
      ? 'Ein Webhook braucht Ihre Aufmerksamkeit.'
      : `${count} Webhooks brauchen Ihre Aufmerksamkeit.`,
  paused: 'angehalten seit',
  failing: 'schlägt fehl seit',
  behind: (count: number, shown: string) =>
    count === 1
      ? 'ist nicht erreichbar oder antwortet zu langsam; ein Ereignis wartet seit'
      : `ist nicht erreichbar oder antwortet zu langsam; ${shown} Ereignisse warten, das älteste seit`,
  behindRetrying: (count: number, shown: string) =>
    count === 1
      ? 'Zustellungen schlagen fehl und werden wiederholt; ein Ereignis wartet seit'
      : `Zustellungen schlagen fehl und werden wiederholt; ${shown} Ereignisse warten seit`,
  stopped: 'Es wird nichts zugestellt.',
  stoppedText:
    'Ereignisse warten, aber der Teil des Dienstes, der sie verarbeitet (der Worker), läuft offenbar nicht. Bitte sagen Sie dem Betreiber Bescheid.',
  repair: (name: string) => `„${name}“ ansehen und beheben`,
  rate: 'Erfolgreich zugestellt',
  rateHint: 'in den letzten 24 Stunden',
  delivered: 'Zustellungen',
  deliveredHint: 'in 24 Stunden',
  missed: 'Nicht alles ist angekommen. Liefern Sie es nach, oder verwerfen Sie es.',
  retrying: 'Zustellungen schlagen fehl; sie werden von selbst wiederholt.',
  queue: 'Noch nicht zugestellt',
  expired: 'Ereignisse sind verfallen; sie lassen sich nicht mehr zustellen.',
  stalled: (count: number) =>
    count === 1
      ? 'Bei einem Webhook stocken Zustellungen.'
      : `Bei ${count} Webhooks stocken Zustellungen.`,
  catchingUp: (count: number) =>
    count === 1
      ? 'Einem Webhook wird nachgeliefert, was er verpasst hat.'
      : `${count} Webhooks wird nachgeliefert, was sie verpasst haben.`,
  queueAgain: (count: number): string => (count === 1 ? 'wird wiederholt' : 'werden wiederholt'),
  queueCatchingUp: (count: number): string =>
    count === 1 ? 'wird nachgeliefert' : 'werden nachgeliefert',
  queueNone: 'nichts wartet',
  queueByOwner: ', von Ihnen angehaltene Webhooks nicht mitgezählt',
  queueSince: 'das älteste',
  givenUp: (count: number, shown: string) =>
    count === 1
      ? 'eines kommt nur an, wenn Sie es nachliefern'
      : `${shown} kommen nur an, wenn Sie sie nachliefern`,
  faults: 'Fehler im Dienst',
  faultsNone: 'keine seit dem letzten Start',
  faultsLast: 'der letzte',
  noticeRefused: 'Die letzte Benachrichtigung an Sie kam nicht an.',
  noticesUnset: 'Wenn etwas nicht ankommt, bekommen Sie bisher keine Nachricht.',
  toNotices: 'Benachrichtigungen ansehen',
  problems: 'Letzte Probleme',
  problemsNone: 'In den letzten 24 Stunden kam alles beim ersten Versuch an.',
  problemsIdle: 'Keine. In den letzten 24 Stunden wurde nichts zugestellt.',
  problem: 'Was geschah',
  events: 'Neueste Ereignisse',
  requests: 'API-Anfragen',
  requestsHint: 'in der letzten Minute',
  chart: 'Zustellversuche der letzten 24 Stunden',
}
