// System: what runs, with the time of each; notices to the owner; limits.
import { readMailAddresses } from '../../lib/mail_addresses.ts'
import type { NoticeLanguage } from '../../model/notice.ts'
import * as operations from '../../operations/notices.ts'
import { getOverview, isWorkerMissing, type Overview } from '../../operations/overview.ts'
import type { Act, Context, DashboardPage, Next } from '../context.ts'
import { type Html, html } from '../html.ts'
import * as ui from '../parts.ts'
import { duration, when } from '../times.ts'

const path = '/dashboard/system'
const dayMs = 86_400_000

type Row = readonly [name: string, state: Html, at: Html | string]
type Settings = operations.NoticeSettings

/** Mail is there where a server is set up; whether it works shows the last notice. */
async function mailRow(context: Context, { mailTo }: Settings): Promise<Row> {
  const { system } = context.texts
  const row = (tone: ui.Tone, text: string): Row => [system.mail, ui.state(tone, text), '–']
  if (context.serving.about.notices.mailServer === null) return row('calm', system.noMailServer)
  if (mailTo.length === 0) return row('warn', system.noAddress)
  const [last] = await operations.listNotices(context.database, 1)
  if (!last) return row('good', system.mailReady)
  const at = when(context, last.sent_at ?? last.created_at)
  if (last.sent_at !== null || last.error_class === null)
    return [system.mail, ui.state('good', system.mailReady), at]
  const why = (system.mailFailures as Record<string, string>)[last.error_class]
  const shown = html`${ui.state('bad', system.mailRefused)} <small class="muted">${why}</small>`
  return [system.mail, shown, at]
}

const sorted = (moments: readonly (string | null)[]): string[] =>
  moments.filter(at => at !== null).toSorted()

function deliveryRow({ texts, hooks, ...context }: Context, found: Overview): Row {
  const { delivering, stopped, runs, noWorker, lastDelivered } = texts.system
  const last = sorted(hooks.map(hook => hook.delivered_at)).at(-1)
  const state = isWorkerMissing(found)
    ? ui.state('bad', stopped)
    : ui.state(found.has_leader ? 'good' : 'warn', found.has_leader ? runs : noWorker)
  const at = last === undefined ? '–' : html`${lastDelivered} ${when({ ...context, texts }, last)}`
  return [delivering, state, at]
}

async function runs(context: Context, settings: Settings): Promise<Row[]> {
  const { texts, serving, hooks, database } = context
  const { system } = texts
  const startedAt = performance.now()
  const found = await getOverview(database)
  const took = duration(context, Math.ceil(performance.now() - startedAt))
  const waiting = hooks.filter(hook => hook.active).map(hook => hook.behind_since)
  const [oldest = null] = sorted([found.unsequenced_since, ...waiting])
  const recent = serving.faults.latest.filter(({ at }) => Date.now() - at.getTime() < dayMs)
  const [fault] = recent
  return [
    [system.database, ui.state('good', system.answers(took)), when(context, new Date())],
    deliveryRow(context, found),
    [
      system.waiting,
      ui.state(oldest ? 'warn' : 'good', oldest ? system.waitsSince : system.nothingWaits),
      when(context, oldest, '–'),
    ],
    await mailRow(context, settings),
    [
      system.requests,
      ui.state(fault ? 'warn' : 'good', fault ? system.faulty(recent.length) : system.noFaults),
      when(context, fault?.at ?? null, '–'),
    ],
  ]
}

const languages: NoticeLanguage[] = ['de', 'en']

function noticesForm(context: Context, settings: Settings, given?: string, mistake?: string): Html {
  const { system } = context.texts
  const isSet = context.serving.about.notices.mailTo.length > 0
  const mailTo = ui.field({
    name: 'mail_to',
    label: system.mailTo,
    value: given ?? settings.chosen.mail_to ?? '',
    hint: `${system.mailToHint} ${isSet ? system.emptySetting : system.emptyNone}`,
    lengthMax: 1_400,
    mistake,
  })
  const choices = languages.map(value => {
    return { value, text: system.languages[value], isOn: value === settings.language }
  })
  const content = html`${mailTo}
${ui.select(system.language, 'language', choices)}
${ui.button(system.save, 'primary')}`
  return html`${ui.form(context, `${path}/notices`, content)}
${settings.mailTo.length > 0 && ui.form(context, `${path}/test`, ui.button(system.test))}`
}

function limits({ texts, serving, hooks }: Context): Html {
  const { system } = texts
  const { about, hookSettings, origin } = serving
  const hooksMax = ui.number({ texts }, hookSettings.subscriptionsMax)
  return ui.facts([
    [system.requestLimit, system.perMinute(ui.number({ texts }, about.requestsPerMinuteMax))],
    [texts.pages.webhooks, system.ofMax(hooks.length, hooksMax)],
    [system.retention, system.days(about.retentionDays)],
    [system.address, html`<code>${origin}/api/v1</code>`],
    [system.version, about.version],
  ])
}

const settingsOf = ({ database, serving }: Context) =>
  operations.getNoticeSettings(database, serving.about.notices)

export const systemPage = (context: Context): Promise<DashboardPage> => page(context)

async function page(context: Context, given?: string, mistake?: string): Promise<DashboardPage> {
  const { texts, serving } = context
  const { system } = texts
  const settings = await settingsOf(context)
  const form =
    serving.about.notices.mailServer === null
      ? html`<p class="muted">${system.noMailServerText}</p>`
      : noticesForm(context, settings, given, mistake)
  return {
    title: texts.pages.system,
    area: 'system',
    status: mistake === undefined ? 200 : 400,
    content: html`${ui.table<Row>(system.what, await runs(context, settings), [
      [system.what, ([name]) => name, 'head'],
      [texts.state, ([, shown]) => shown],
      [texts.at, ([, , at]) => at],
    ])}
${limits(context)}
<section class="card" id="notices"><h2>${system.notices}</h2>
${ui.doneNotice(context, system.done)}
<p>${system.noticesText}</p>
${form}</section>`,
  }
}

const next = (name: string): Next => ({ path: `${path}#notices`, done: { name } })

export const saveNotices: Act = async (context, fields) => {
  const text = (fields.get('mail_to') ?? '').trim()
  const addresses = text === '' ? null : readMailAddresses(text)
  const language = languages.find(one => one === fields.get('language')) ?? 'de'
  if (text !== '' && addresses === null)
    return await page(context, text, context.texts.system.badMailTo)
  const mail_to = addresses?.join(',') ?? null
  await operations.updateNoticeSettings(context.database, { mail_to, language })
  return next('notices_saved')
}

export const sendTestNotice: Act = async context => {
  const { database, serving } = context
  const { mailTo } = await settingsOf(context)
  if (mailTo.length === 0) return next('refused_notices_none')
  const accepted = await operations.testNotices(database, serving.requestTimeoutMs / 2)
  if (accepted === null) return next('notices_waiting')
  return next(accepted ? 'notices_sent' : 'refused_notices_failed')
}
