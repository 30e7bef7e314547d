// Notices: where the owner gets them, whether they arrive, which there were.

import { readMailAddresses } from '../../lib/mail_addresses.ts'
import { finalFailuresMax } from '../../model/delivery_rules.ts'
import type { NoticeLanguage } from '../../model/notice.ts'
import {
  getNoticeSettings,
  isLastRefused,
  type ListedNotice,
  listNotices,
  type NoticeSettings,
  testNotices,
  updateNoticeSettings,
} from '../../operations/notices.ts'
import type { Context, Next, Page } from '../context.ts'
import { doneNotice } from '../done.ts'
import { hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { button, describedBy, facts, form, mistakeNotice, state, tableOf, when } from '../parts.ts'

const path = '/dashboard/notices'
const shownMax = 30
const dayMs = 86_400_000
const minuteMs = 60_000

type Given = { mailTo: string; language: NoticeLanguage }

function mailPart(context: Context, { mailTo }: NoticeSettings, isRefused: boolean): Html {
  const { notices } = context.texts
  const { mailServer } = context.serving.about.notices
  const arrives = isRefused ? state('bad', notices.refused) : state('good', notices.on)
  const mail = html`${arrives} ${mailTo.join(', ')} ${notices.through(mailServer ?? '')}`
  const none = mailServer === null ? notices.noMailServer : notices.off
  return facts([[notices.email, mailTo.length === 0 ? none : mail]])
}

const languages: NoticeLanguage[] = ['de', 'en']

function choiceForm(context: Context, given: Given, mistake: string | undefined): Html | false {
  const { notices } = context.texts
  const { mailTo, mailServer } = context.serving.about.notices
  const empty = mailTo.length > 0 ? notices.emptySetting('NOTICE_TO') : notices.emptyNone
  const fields = html`<label>${notices.mailTo}
<input name="mail_to" inputmode="email" value="${given.mailTo}" maxlength="1400" autocomplete="off" spellcheck="false"${describedBy('mail-hint', mistake === notices.badMailTo)}>
<small id="mail-hint">${notices.mailToHint} ${empty}</small></label>
<label>${notices.language}
<select name="language">${languages.map(one => html`<option value="${one}"${one === given.language && html` selected`}>${notices.languages[one]}</option>`)}</select></label>
${button(notices.save, 'primary')}`
  return (
    mailServer !== null &&
    html`<section class="card"><h2>${notices.where}</h2>
${mistakeNotice(mistake)}
${form(context, `${path}#mistake`, fields, { keeps: true })}</section>`
  )
}

function testForm(context: Context, { mailTo }: NoticeSettings): Html | false {
  const { notices } = context.texts
  return (
    mailTo.length > 0 &&
    html`<section class="card"><h2>${notices.test}</h2><p>${notices.testText}</p>
${form(context, `${path}/test`, button(notices.test))}</section>`
  )
}

function kindOf(
  { texts }: Context,
  { failures, subscription_id, name }: ListedNotice,
): Html | string {
  const { notices } = texts
  if (failures === null) return notices.isTest
  const isPaused = failures >= finalFailuresMax
  if (name === null || subscription_id === null)
    return isPaused ? notices.pausedGone : notices.failingGone(failures)
  const text = isPaused ? notices.paused(name) : notices.failing(name, failures)
  return html`<a href="${hookPath(subscription_id)}">${text}</a>`
}

function reasonOf({ texts }: Context, { status, error_class }: ListedNotice): string {
  const { mailFailures } = texts.notices
  const text = mailFailures[error_class as keyof typeof mailFailures] ?? ''
  return status === null ? text : `${text} (${status})`
}

function outcomeOf(context: Context, notice: ListedNotice): Html {
  const { notices } = context.texts
  const { attempts, created_at, due_at, sent_at, error_class, failures, name } = notice
  const ageMs = Date.now() - Date.parse(created_at)
  if (sent_at !== null) return html`${state('good', notices.sent)} ${when(context, sent_at)}`
  if (failures !== null && name === null) return state('calm', notices.notSent)
  if (error_class === null) {
    if (ageMs > minuteMs && failures === null)
      return html`${state('warn', notices.stuck)}<br><small class="muted">${notices.stuckText}</small>`
    if (ageMs > minuteMs && attempts === 0)
      return html`${state('calm', notices.stuck)}<br><small class="muted">${notices.noWay}</small>`
    return state('calm', attempts === 0 ? notices.waiting : notices.sending)
  }
  const isOver = failures === null || ageMs > dayMs
  const next = isOver
    ? state('bad', notices.failed)
    : html`${state('warn', notices.again)} ${when(context, due_at)}`
  return html`${next}<br><small class="muted">${reasonOf(context, notice)}</small>`
}

function listPart(context: Context, listed: ListedNotice[], isSet: boolean): Html {
  const { notices, events } = context.texts
  if (listed.length === 0)
    return html`<h2>${notices.last}</h2><p class="muted">${isSet ? notices.lastNone : notices.lastUnset}</p>`
  const rows = listed.map(
    notice => html`<tr><th scope="row">${when(context, notice.created_at)}</th>
<td class="long" data-name="${notices.reason}">${kindOf(context, notice)}</td>
<td class="long" data-name="${notices.outcome}">${outcomeOf(context, notice)}</td></tr>
`,
  )
  const columns = [events.at, notices.reason, notices.outcome]
  return html`<h2>${notices.last}</h2>
${tableOf(notices.last, columns, rows)}`
}

async function page(
  context: Context,
  settings: NoticeSettings,
  given: Given,
  mistake?: string,
): Promise<Page> {
  const { texts, database } = context
  const isSet = settings.mailTo.length > 0
  const listed = await listNotices(database, isSet, shownMax)
  return {
    title: texts.pages.notices,
    area: 'notices',
    status: mistake ? 400 : 200,
    content: html`${doneNotice(context, texts.notices.done)}
<p>${isSet ? texts.notices.intro : texts.notices.introUnset}</p>
${mailPart(context, settings, isLastRefused(listed))}
${choiceForm(context, given, mistake)}
${testForm(context, settings)}
${listPart(context, listed, isSet)}`,
  }
}

const settingsOf = ({ database, serving }: Context) =>
  getNoticeSettings(database, serving.about.notices)

export async function noticesPage(context: Context): Promise<Page> {
  const settings = await settingsOf(context)
  const { chosen, language } = settings
  return await page(context, settings, { mailTo: chosen.mail_to ?? '', language })
}

export async function saveNotices(context: Context, fields: URLSearchParams): Promise<Page | Next> {
  const settings = await settingsOf(context)
  // Without a mail server the form does not ask for addresses, and those entered before stay.
  const asked = fields.get('mail_to') ?? settings.chosen.mail_to ?? ''
  const language = languages.find(one => one === fields.get('language')) ?? settings.language
  const mailTo = asked.trim()
  const addresses = mailTo === '' ? null : readMailAddresses(mailTo)
  if (mailTo !== '' && addresses === null)
    return await page(context, settings, { mailTo, language }, context.texts.notices.badMailTo)
  await updateNoticeSettings(context.database, {
    mail_to: addresses?.join(',') ?? null,
    language,
  })
  await context.note('notices_changed')
  return { path, done: { name: 'notices_saved' } }
}

const outcomeName = (accepted: boolean | null) => {
  if (accepted === null) return 'notices_waiting'
  return accepted ? 'notices_sent' : 'refused_notices_failed'
}

export async function testNoticesNow(context: Context): Promise<Next> {
  const { database, serving } = context
  const { mailTo } = await settingsOf(context)
  if (mailTo.length === 0) return { path, done: { name: 'refused_notices_none' } }
  await context.note('notices_tested')
  const accepted = await testNotices(database, serving.requestTimeoutMs / 2)
  return { path, done: { name: outcomeName(accepted) } }
}
