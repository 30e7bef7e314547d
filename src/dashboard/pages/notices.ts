// Notices: where the owner gets them, whether they arrive, which there were.

import { readMailAddresses } from '../../lib/mail_addresses.ts'
import { finalFailuresMax } from '../../model/delivery_rules.ts'
import type { NoticeChannelName, NoticeLanguage } from '../../model/notice.ts'
import { readTargetUrl } from '../../model/target_url.ts'
import {
  getNoticeSettings,
  type ListedNotice,
  listNotices,
  type NoticeSettings,
  refusedChannels,
  testNoticeChannels,
  updateNoticeSettings,
} from '../../operations/notices.ts'
import type { Context, Next, Page } from '../context.ts'
import { doneNotice } from '../done.ts'
import { hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import {
  button,
  describedBy,
  facts,
  form,
  mistakeNotice,
  reason,
  state,
  tableOf,
  when,
} from '../parts.ts'
import { isOfTarget, mistakeOf } from './webhook_form.ts'

const path = '/dashboard/notices'
const shownMax = 30
const dayMs = 86_400_000
const minuteMs = 60_000

type Given = { target: string; mailTo: string; language: NoticeLanguage }

function channelsPart(
  context: Context,
  { webhookUrl, mailTo }: NoticeSettings,
  refused: ReadonlySet<string>,
): Html {
  const { notices } = context.texts
  const stateOf = (channel: NoticeChannelName) =>
    refused.has(channel) ? state('bad', notices.refused) : state('good', notices.on)
  const { canSign, mailServer } = context.serving.about.notices
  // The path of the address may hold a token.
  const webhook =
    webhookUrl === null ? null : html`${stateOf('webhook')} ${new URL(webhookUrl).host}`
  const mail = html`${stateOf('email')} ${mailTo.join(', ')} ${notices.through(mailServer ?? '')}`
  const noMail = mailServer === null ? notices.noMailServer : notices.off
  return facts([
    [notices.channels.webhook, webhook ?? (canSign ? notices.off : notices.noKey)],
    [notices.channels.email, mailTo.length === 0 ? noMail : mail],
  ])
}

const languages: NoticeLanguage[] = ['de', 'en']

function mailFields(context: Context, given: Given, mistake: string | undefined): Html {
  const { notices } = context.texts
  const { mailTo } = context.serving.about.notices
  const empty = mailTo.length > 0 ? notices.emptySetting('NOTICE_TO') : notices.emptyNone
  return html`<label>${notices.mailTo}
<input name="mail_to" inputmode="email" value="${given.mailTo}" maxlength="1400" autocomplete="off" spellcheck="false"${describedBy('mail-hint', mistake === notices.badMailTo)}>
<small id="mail-hint">${notices.mailToHint} ${empty}</small></label>
<label>${notices.language}
<select name="language">${languages.map(one => html`<option value="${one}"${one === given.language && html` selected`}>${notices.languages[one]}</option>`)}</select></label>`
}

function choiceForm(context: Context, given: Given, mistake: string | undefined): Html {
  const { notices, webhooks } = context.texts
  const { webhookUrl, mailServer } = context.serving.about.notices
  const empty = webhookUrl === null ? notices.emptyNone : notices.emptySetting('OWNER_WEBHOOK_URL')
  return html`<section class="card"><h2>${notices.where}</h2>
${mistakeNotice(mistake)}
${form(
  context,
  `${path}#mistake`,
  html`<label>${notices.target}
<input name="webhook_url" type="url" inputmode="url" value="${given.target}" maxlength="2048" autocomplete="off" placeholder="https://"${describedBy('target-hint', isOfTarget(context, mistake))}>
<small id="target-hint">${notices.targetHint} ${empty}</small></label>
${mailServer !== null && mailFields(context, given, mistake)}
${button(notices.save, 'primary')}`,
  { keeps: true },
)}
<details><summary>${webhooks.forDevelopers}</summary><p>${notices.signed} <code>hooks notice-secret</code></p></details></section>`
}

function testForm(context: Context, { channels }: NoticeSettings): Html | false {
  const { notices } = context.texts
  return (
    channels.length > 0 &&
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

function reasonOf({ texts }: Context, { channel, status, error_class }: ListedNotice): string {
  const { mailFailures } = texts.notices
  if (channel === 'webhook') return reason(texts, status, error_class)
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
<td class="whole" data-name="${notices.channel}">${notices.channels[notice.channel as NoticeChannelName]}</td>
<td class="long" data-name="${notices.outcome}">${outcomeOf(context, notice)}</td></tr>
`,
  )
  const columns = [events.at, notices.reason, notices.channel, notices.outcome]
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
  const listed = await listNotices(database, settings.channels, shownMax)
  return {
    title: texts.pages.notices,
    area: 'notices',
    status: mistake ? 400 : 200,
    content: html`${doneNotice(context, texts.notices.done)}
<p>${settings.channels.length > 0 ? texts.notices.intro : texts.notices.introUnset}</p>
${channelsPart(context, settings, refusedChannels(listed))}
${choiceForm(context, given, mistake)}
${testForm(context, settings)}
${listPart(context, listed, settings.channels.length > 0)}`,
  }
}

const settingsOf = ({ database, serving }: Context) =>
  getNoticeSettings(database, serving.about.notices)

export async function noticesPage(context: Context): Promise<Page> {
  const settings = await settingsOf(context)
  const { webhook_url, mail_to } = settings.chosen
  const { language } = settings
  return await page(context, settings, {
    target: webhook_url ?? '',
    mailTo: mail_to ?? '',
    language,
  })
}

type Read = { mistake: string } | { webhook_url: string | null; mail_to: string | null }

/** What is empty is null. */
function read(context: Context, { target, mailTo }: Given): Read {
  const { allowedNetworks } = context.serving.hookSettings
  const url = target === '' ? { url: null } : readTargetUrl(target, allowedNetworks)
  if ('refused' in url) return { mistake: mistakeOf(context, url.reason) }
  const addresses = mailTo === '' ? null : readMailAddresses(mailTo)
  if (mailTo !== '' && addresses === null) return { mistake: context.texts.notices.badMailTo }
  return { webhook_url: url.url, mail_to: addresses?.join(',') ?? null }
}

export async function saveNotices(context: Context, fields: URLSearchParams): Promise<Page | Next> {
  const settings = await settingsOf(context)
  // Without a mail server the form does not ask for addresses, and those entered before stay.
  const asked = fields.get('mail_to') ?? settings.chosen.mail_to ?? ''
  const language = languages.find(one => one === fields.get('language')) ?? settings.language
  const given = { target: (fields.get('webhook_url') ?? '').trim(), mailTo: asked.trim(), language }
  const found = read(context, given)
  if ('mistake' in found) return await page(context, settings, given, found.mistake)
  await updateNoticeSettings(context.database, { ...found, language })
  await context.note('notices_changed')
  return { path, done: { name: 'notices_saved' } }
}

const outcomeName = (accepted: boolean | null) => {
  if (accepted === null) return 'notices_waiting'
  return accepted ? 'notices_sent' : 'refused_notices_failed'
}

export async function testNotices(context: Context): Promise<Next> {
  const { database, serving } = context
  const { channels } = await settingsOf(context)
  if (channels.length === 0) return { path, done: { name: 'refused_notices_none' } }
  await context.note('notices_tested')
  const accepted = await testNoticeChannels(database, channels, serving.requestTimeoutMs / 2)
  return { path, done: { name: outcomeName(accepted) } }
}
