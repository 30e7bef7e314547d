// The texts of e-mails to the owner, in German and English. Names the webhook and its host: nothing of events, nothing of persons.
import type { RowOf } from '../db/queries.ts'
import { finalFailuresMax } from '../model/delivery_rules.ts'
import { failureNames } from '../model/failure_names.ts'
import { failureReason } from '../model/hook_health.ts'
import type { NoticeLanguage } from '../model/notice.ts'
import { targetHost } from '../model/target_url.ts'

export type Notice = RowOf<'claimOwnerNotices'>
type NoticeText = { subject: string; text: string }

type NoticeValues = { name: string; host: string; failures: string; since: string; at: string }

const texts = {
  de: {
    locale: 'de-DE',
    // As the dashboard shows it to a reader in Germany.
    clock: { timeZone: 'Europe/Berlin', name: 'Uhr' },
    unnamed: 'ohne Namen',
    unknown: 'Adresse unbekannt',
    failing: {
      subject: ({ name, failures }: NoticeValues) =>
        `Webhook „${name}“: ${failures} Zustellungen nacheinander fehlgeschlagen`,
      text: ({ name, host, failures, since }: NoticeValues) =>
        `Der Webhook „${name}“ (${host}) hat ${failures} Zustellungen nacheinander nicht angenommen, die erste am ${since}.

Was nicht ankam, wird aufbewahrt und lässt sich nachliefern. Nach zehn nacheinander fehlgeschlagenen Zustellungen wird der Webhook angehalten.`,
    },
    paused: {
      subject: ({ name }: NoticeValues) => `Webhook „${name}“ wurde angehalten`,
      text: ({ name, host, at }: NoticeValues) =>
        `Der Webhook „${name}“ (${host}) wurde am ${at} angehalten: Zehn Zustellungen nacheinander sind fehlgeschlagen.

Was seitdem geschieht, wird aufbewahrt. Im Dashboard sehen Sie, woran es liegt; dort schalten Sie ihn wieder ein; was fehlt, wird dabei nachgeliefert.`,
    },
    test: {
      subject: () => 'Testnachricht: Benachrichtigungen kommen an',
      text: () =>
        'Dies ist eine Testnachricht. Wenn ein Webhook nicht zustellen kann, erfahren Sie es auf diesem Weg.',
    },
    reason: 'Grund:',
    look: 'Ansehen und beheben:',
    settings: 'Einstellungen:',
    foot: 'Diese Nachricht kommt automatisch von Ihrer Workspace Data API. Wohin Nachrichten gehen, ändern Sie im Dashboard unter „System“.',
  },
  en: {
    locale: 'en-GB',
    clock: { timeZone: 'UTC', name: 'UTC' },
    unnamed: 'unnamed',
    unknown: 'address unknown',
    failing: {
      subject: ({ name, failures }: NoticeValues) =>
        `Webhook “${name}”: ${failures} deliveries in a row failed`,
      text: ({ name, host, failures, since }: NoticeValues) =>
        `The webhook “${name}” (${host}) did not accept ${failures} deliveries in a row, the first of them on ${since}.

What did not arrive is kept and can be delivered later. After ten failed deliveries in a row the webhook is paused.`,
    },
    paused: {
      subject: ({ name }: NoticeValues) => `Webhook “${name}” was paused`,
      text: ({ name, host, at }: NoticeValues) =>
        `The webhook “${name}” (${host}) was paused on ${at}: ten deliveries in a row failed.

What happens from now on is kept. The dashboard shows the reason; resume the webhook there: what is missing is delivered then.`,
    },
    test: {
      subject: () => 'Test notice: notices arrive',
      text: () => 'This is a test. When a webhook cannot deliver, you learn about it this way.',
    },
    reason: 'Reason:',
    look: 'Review:',
    settings: 'Settings:',
    foot: 'The Workspace Data API sent this automatically. Change where notices go in the dashboard, under “System”.',
  },
}

function kindOf({ failures }: Notice) {
  if (failures === null) return 'test'
  return failures >= finalFailuresMax ? 'paused' : 'failing'
}

const nameLengthMax = 80

/** One short line: a label may hold anything. */
const nameOf = (label: string | null): string =>
  [
    ...(label ?? '')
      .toWellFormed()
      .replace(/[\p{C}\s]+/gu, ' ')
      .trim(),
  ]
    .slice(0, nameLengthMax)
    .join('')

type Clock = { timeZone: string; name: string }

const momentIn = (locale: string, { timeZone, name }: Clock, at: string | null): string =>
  at === null
    ? '–'
    : `${new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(at))} ${name}`

export function noticeText(
  notice: Notice,
  language: NoticeLanguage,
  dashboardUrl: string | null,
): NoticeText {
  const { locale, clock, unnamed, unknown, reason, look, settings, foot, ...kindTexts } =
    texts[language]
  const failure = failureReason(notice.status, notice.error_class)
  const why = failure === null ? [] : [`${reason} ${failureNames[language][failure]}`]
  const host = targetHost(notice.target_url)
  const values: NoticeValues = {
    name: nameOf(notice.label) || host || unnamed,
    host: host ?? unknown,
    failures: String(notice.failures ?? 0),
    since: momentIn(locale, clock, notice.failing_since),
    at: momentIn(locale, clock, notice.created_at),
  }
  const { subject, text } = kindTexts[kindOf(notice)]
  const { subscription_id: id } = notice
  const link =
    id === null
      ? `${settings} ${dashboardUrl}/system#notices`
      : `${look} ${dashboardUrl}/webhooks/${id}`
  const parts = [text(values), ...why, ...(dashboardUrl === null ? [] : [link]), `-- \n${foot}`]
  return { subject: subject(values), text: `${parts.join('\n\n')}\n` }
}
