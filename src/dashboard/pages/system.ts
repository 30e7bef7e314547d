// System: what runs, with the time of each; notices to the owner; limits; what went wrong and what was done.
import { readMailAddresses } from '../../lib/mail_addresses.ts'
import type { NoticeLanguage } from '../../model/notice.ts'
import {
  getNoticeSettings,
  type ListedNotice,
  listNotices,
  type NoticeSettings,
  testNotices,
  updateNoticeSettings,
} from '../../operations/notices.ts'
import { getOverview, isWorkerMissing, type Overview } from '../../operations/overview.ts'
import { listOwnerActions, type OwnerAction } from '../../operations/owner_actions.ts'
import type { Context, DashboardPage, Next } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { duration, when } from '../times.ts'

const path = '/dashboard/system'
// The last one shows whether e-mail works.
const noticesShown = 1
const actionsShown = 30
const dayMs = 86_400_000

type Row = readonly [name: string, state: Html, at: Html | string]

/** Mail is there where a server is set up; whether it works shows the last notice. */
function mailRow(
  context: Context,
  { mailTo }: NoticeSettings,
  [last]: readonly ListedNotice[],
): Row {
  const { system } = context.texts
  const { mailServer } = context.serving.about.notices
  if (mailServer === null) return [system.mail, ui.state('calm', system.noMailServer), '–']
  if (mailTo.length === 0) return [system.mail, ui.state('warn', system.noAddress), '–']
  if (!last) return [system.mail, ui.state('good', system.mailReady), '–']
  const isRefused = last.sent_at === null && last.error_class !== null
  return [
    system.mail,
    isRefused
      ? html`${ui.state('bad', system.mailRefused)} <small class="muted">${(system.mailFailures as Record<string, string>)[last.error_class ?? '']}</small>`
      : ui.state('good', system.mailReady),
    when(context, last.sent_at ?? last.created_at),
  ]
}

function runs(context: Context, found: Overview, tookMs: number, mail: Row): Row[] {
  const { texts, serving, hooks } = context
  const { system } = texts
  const { faults, about } = serving
  const active = hooks.filter(hook => hook.active)
  const delivered = hooks
    .flatMap(({ delivered_at }) => delivered_at ?? [])
    .toSorted()
    .at(-1)
  const oldest = [found.unsequenced_since, ...active.map(({ behind_since }) => behind_since)]
    .flatMap(at => at ?? [])
    .toSorted()[0]
  const delivering = isWorkerMissing(found)
    ? ui.state('bad', system.stopped)
    : found.has_leader
      ? ui.state('good', system.runs)
      : ui.state('warn', system.noWorker)
  const recent = faults.latest.filter(({ at }) => Date.now() - at.getTime() < dayMs)
  const [fault] = recent
  return [
    [
      system.database,
      ui.state('good', about.isEmbedded ? system.embedded : system.answers),
      duration(context, tookMs),
    ],
    [
      system.delivering,
      delivering,
      delivered === undefined ? '–' : html`${system.lastDelivered} ${when(context, delivered)}`,
    ],
    [
      system.waiting,
      oldest === undefined
        ? ui.state('good', system.nothingWaits)
        : ui.state('warn', system.waitsSince),
      when(context, oldest ?? null, '–'),
    ],
    mail,
    [
      system.requests,
      fault ? ui.state('warn', system.faulty(recent.length)) : ui.state('good', system.noFaults),
      fault ? when(context, fault.at) : '–',
    ],
  ]
}

const languages: NoticeLanguage[] = ['de', 'en']

function noticesPart(
  context: Context,
  settings: NoticeSettings,
  given: string | null,
  mistakes: ui.Mistakes,
): Html {
  const { system } = context.texts
  const { mailServer, mailTo } = context.serving.about.notices
  const chosen = languages.map(one => ({
    value: one,
    text: system.languages[one],
    isOn: one === settings.language,
  }))
  const hint = `${system.mailToHint} ${mailTo.length > 0 ? system.emptySetting : system.emptyNone}`
  const set = html`${ui.form(
    context,
    `${path}/notices`,
    html`${ui.field({ name: 'mail_to', label: system.mailTo, value: given ?? settings.chosen.mail_to ?? '', hint, lengthMax: 1_400, mistake: mistakes.mail_to })}
${ui.select(system.language, 'language', chosen)}
${ui.button(system.save, 'primary')}`,
  )}
${settings.mailTo.length > 0 && ui.form(context, `${path}/test`, ui.button(system.test))}`
  return html`<section class="card" id="notices"><h2>${system.notices}</h2>
${ui.doneNotice(context, system.done)}
<p>${system.noticesText}</p>
${mailServer === null ? html`<p class="muted">${system.noMailServerText}</p>` : set}</section>`
}

function limits({ texts, serving, hooks }: Context): Html {
  const { system } = texts
  const { about, hookSettings, origin } = serving
  return ui.facts([
    [system.requestLimit, system.perMinute(ui.number({ texts }, about.requestsPerMinuteMax))],
    [
      texts.pages.webhooks,
      system.ofMax(hooks.length, ui.number({ texts }, hookSettings.subscriptionsMax)),
    ],
    [system.retention, system.days(about.retentionDays)],
    [system.address, html`<code>${origin}/api/v1</code>`],
    [system.version, about.version],
  ])
}

type Action = Awaited<ReturnType<typeof listOwnerActions>>[number]

async function actionsPart(context: Context): Promise<Html> {
  const { system, at } = context.texts
  const actions = await listOwnerActions(context.database, actionsShown)
  return ui.folded(
    system.actions,
    ui.table<Action>(
      system.actions,
      actions,
      [
        [at, one => when(context, one.at), 'head'],
        [system.action, ({ action }) => system.actionNames[action as OwnerAction] ?? action],
        [
          context.texts.about,
          ({ name, subject }) => name ?? (subject === null ? '–' : system.gone),
          'long',
        ],
        [system.client, ({ client }) => html`<code>${client}</code>`],
      ],
      system.actionsNone,
    ),
  )
}

const settingsOf = ({ database, serving }: Context) =>
  getNoticeSettings(database, serving.about.notices)

export const systemPage = (context: Context): Promise<DashboardPage> => page(context)

async function page(
  context: Context,
  given: string | null = null,
  mistakes: ui.Mistakes = {},
): Promise<DashboardPage> {
  const { texts, database } = context
  const { system } = texts
  const startedAt = performance.now()
  const found = await getOverview(database)
  const tookMs = Math.ceil(performance.now() - startedAt)
  const settings = await settingsOf(context)
  const listed = await listNotices(database, settings.mailTo.length > 0, noticesShown)
  const rows = runs(context, found, tookMs, mailRow(context, settings, listed))
  return {
    title: texts.pages.system,
    area: 'system',
    status: mistakes.mail_to === undefined ? 200 : 400,
    content: html`${ui.table<Row>(system.what, rows, [
      [system.what, ([name]) => name, 'head'],
      [texts.state, ([, shown]) => shown],
      [texts.at, ([, , at]) => at],
    ])}
${limits(context)}
${noticesPart(context, settings, given, mistakes)}
${await actionsPart(context)}`,
  }
}

export async function saveNotices(
  context: Context,
  fields: URLSearchParams,
): Promise<DashboardPage | Next> {
  const text = (fields.get('mail_to') ?? '').trim()
  const addresses = text === '' ? null : readMailAddresses(text)
  const language = languages.find(one => one === fields.get('language')) ?? 'de'
  if (text !== '' && addresses === null)
    return await page(context, text, { mail_to: context.texts.system.badMailTo })
  await updateNoticeSettings(context.database, { mail_to: addresses?.join(',') ?? null, language })
  await context.note('notices_changed')
  return { path: `${path}#notices`, done: { name: 'notices_saved' } }
}

const outcomeName = (accepted: boolean | null) => {
  if (accepted === null) return 'notices_waiting'
  return accepted ? 'notices_sent' : 'refused_notices_failed'
}

export async function sendTestNotice(context: Context): Promise<Next> {
  const { database, serving } = context
  const next = (name: string): Next => ({ path: `${path}#notices`, done: { name } })
  const { mailTo } = await settingsOf(context)
  if (mailTo.length === 0) return next('refused_notices_none')
  await context.note('notices_tested')
  return next(outcomeName(await testNotices(database, serving.requestTimeoutMs / 2)))
}
