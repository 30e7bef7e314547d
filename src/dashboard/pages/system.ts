// System: what runs, with the time of each; notices to the owner; limits; what went wrong and what was done.
import { readMailAddresses } from '../../lib/mail_addresses.ts'
import { finalFailuresMax } from '../../model/delivery_rules.ts'
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
import type { Context, Next, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import {
  button,
  doneNotice,
  facts,
  field,
  folded,
  form,
  hookPath,
  type Mistakes,
  number,
  select,
  state,
  table,
} from '../parts.ts'
import { duration, exactly, when } from '../times.ts'

const path = '/dashboard/system'
const noticesShown = 10
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
  if (mailServer === null) return [system.mail, state('calm', system.noMailServer), '–']
  if (mailTo.length === 0) return [system.mail, state('warn', system.noAddress), '–']
  if (!last) return [system.mail, state('good', system.mailReady), '–']
  const isRefused = last.sent_at === null && last.error_class !== null
  return [
    system.mail,
    isRefused ? state('bad', system.mailRefused) : state('good', system.mailReady),
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
    ? state('bad', system.stopped)
    : found.has_leader
      ? state('good', system.runs)
      : state('warn', system.noWorker)
  const recent = faults.latest.filter(({ at }) => Date.now() - at.getTime() < dayMs)
  const [fault] = recent
  return [
    [
      system.database,
      state('good', about.isEmbedded ? system.embedded : system.answers),
      duration(context, tookMs),
    ],
    [
      system.delivering,
      delivering,
      delivered === undefined ? '–' : html`${system.lastDelivered} ${when(context, delivered)}`,
    ],
    [
      system.waiting,
      oldest === undefined ? state('good', system.nothingWaits) : state('warn', system.waitsSince),
      when(context, oldest ?? null, '–'),
    ],
    mail,
    [
      system.requests,
      fault ? state('warn', system.faulty(recent.length)) : state('good', system.noFaults),
      fault ? when(context, fault.at) : '–',
    ],
  ]
}

const languages: NoticeLanguage[] = ['de', 'en']

function noticesPart(
  context: Context,
  settings: NoticeSettings,
  listed: ListedNotice[],
  given: string | null,
  mistakes: Mistakes,
): Html {
  const { system } = context.texts
  const { mailServer, mailTo } = context.serving.about.notices
  const chosen = languages.map(one => ({
    value: one,
    text: system.languages[one],
    isOn: one === settings.language,
  }))
  const hint = `${system.mailToHint} ${mailTo.length > 0 ? system.emptySetting : system.emptyNone}`
  const set = html`${form(
    context,
    `${path}/notices`,
    html`${field({ name: 'mail_to', label: system.mailTo, value: given ?? settings.chosen.mail_to ?? '', hint, lengthMax: 1_400, mistake: mistakes.mail_to })}
${select(system.language, 'language', chosen)}
${button(system.save, 'primary')}`,
  )}
${settings.mailTo.length > 0 && form(context, `${path}/test`, button(system.test))}`
  return html`<section class="card" id="notices"><h2>${system.notices}</h2>
${doneNotice(context, system.done)}
<p>${system.noticesText}</p>
${mailServer === null ? html`<p class="muted">${system.noMailServerText}</p>` : set}
${listed.length > 0 && folded(system.lastNotices, noticeTable(context, listed))}</section>`
}

function noticeTable(context: Context, listed: ListedNotice[]): Html {
  const { system } = context.texts
  const kind = ({ failures, name, subscription_id }: ListedNotice) => {
    if (failures === null) return system.isTest
    const text = failures >= finalFailuresMax ? system.pausedNotice : system.failingNotice(failures)
    return html`${name === null || subscription_id === null ? context.texts.webhooks.gone : html`<a href="${hookPath(subscription_id)}">${name}</a>`}: ${text}`
  }
  const outcome = ({ sent_at, error_class, attempts }: ListedNotice) => {
    if (sent_at !== null) return state('good', system.sent)
    if (error_class === null)
      return state('calm', attempts === 0 ? system.notYetSent : system.sending)
    return html`${state('bad', system.failed)} <small class="muted">${(system.mailFailures as Record<string, string>)[error_class] ?? error_class}</small>`
  }
  return table<ListedNotice>(system.lastNotices, listed, [
    [context.texts.at, ({ created_at }) => when(context, created_at), 'head'],
    [system.reason, kind, 'long'],
    [system.outcome, outcome, 'long'],
  ])
}

function limits({ texts, serving, hooks }: Context): Html {
  const { system } = texts
  const { about, hookSettings } = serving
  return facts([
    [system.requestLimit, system.perMinute(number({ texts }, about.requestsPerMinuteMax))],
    [
      texts.pages.webhooks,
      system.ofMax(hooks.length, number({ texts }, hookSettings.subscriptionsMax)),
    ],
    [system.retention, system.days(about.retentionDays)],
  ])
}

function faultsPart(context: Context): Html {
  const { system } = context.texts
  const { latest } = context.serving.faults
  if (latest.length === 0) return html``
  return html`<section><h2>${system.faults}</h2><p>${system.faultsText}</p>
${table(system.faults, latest, [
  [context.texts.at, ({ at }) => exactly(context, at), 'head'],
  [system.faultWhere, ({ where }) => where],
  [system.faultCode, ({ kind }) => html`<code>${kind}</code>`],
  [system.faultRequest, ({ requestId }) => requestId ?? '–', 'long'],
])}</section>`
}

type Action = Awaited<ReturnType<typeof listOwnerActions>>[number]

async function actionsPart(context: Context): Promise<Html> {
  const { system, at } = context.texts
  const actions = await listOwnerActions(context.database, actionsShown)
  return folded(
    system.actions,
    table<Action>(
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

function technical(
  { texts, serving: { about, origin } }: Context,
  { horizon, head }: Overview,
): Html {
  const { system } = texts
  const files = about.overridden.map(name => html`<li><code>${name}.sql</code></li>`)
  return folded(
    system.technical,
    facts([
      [system.address, html`<code>${origin}/api/v1</code>`, 'wide'],
      [system.version, about.version],
      [system.schema, about.schemaVersion],
      [system.roles, about.roles.join(', ')],
      [system.feed, `${horizon} – ${head}`],
      files.length > 0 && [system.overrides, html`<ul>${files}</ul>`, 'wide'],
    ]),
  )
}

const settingsOf = ({ database, serving }: Context) =>
  getNoticeSettings(database, serving.about.notices)

export const systemPage = (context: Context): Promise<Page> => page(context)

async function page(
  context: Context,
  given: string | null = null,
  mistakes: Mistakes = {},
): Promise<Page> {
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
    content: html`${table<Row>(system.what, rows, [
      [system.what, ([name]) => name, 'head'],
      [texts.state, ([, shown]) => shown],
      [texts.at, ([, , at]) => at],
    ])}
${limits(context)}
${noticesPart(context, settings, listed, given, mistakes)}
${faultsPart(context)}
${await actionsPart(context)}
${technical(context, found)}`,
  }
}

export async function saveNotices(context: Context, fields: URLSearchParams): Promise<Page | Next> {
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
