// The event types: what each is for, an example, who gets it, and a test of it.
import type { eventTypes } from '../../model/event_type.ts'
import { listSampleEvents } from '../../operations/hooks.ts'
import type { Context, Page } from '../context.ts'
import { eventGroups } from '../event_groups.ts'
import { hookPath } from '../hooks.ts'
import { type Html, html } from '../html.ts'
import { button, copyable, form, nameOf } from '../parts.ts'

type Sample = { event_type: string }

function receivers(context: Context, type: string): Html {
  const { texts, hooks } = context
  const { catalog } = texts
  const own = hooks.filter(({ event_types }) => event_types.includes(type))
  if (own.length === 0) return html`<p class="muted">${catalog.noReceiver}</p>`
  const test = (id: string) =>
    form(
      context,
      hookPath(id, '/test'),
      html`<input type="hidden" name="type" value="${type}">${button(catalog.test, 'plain')}`,
      { inline: true },
    )
  return html`<ul class="spaced">${own.map(hook => html`<li><a href="${hookPath(hook.id)}">${nameOf(texts, hook)}</a>${hook.active && html` · ${test(hook.id)}`}</li>\n`)}</ul>`
}

function entry(context: Context, type: string, sample: Sample | undefined): Html {
  const { texts } = context
  const known = type as (typeof eventTypes)[number]
  return html`<section class="card" id="${type.replace('.', '-')}"><h3>${texts.eventNames[known]} <code class="muted">${type}</code></h3>
<p>${texts.eventTexts[known]}</p>
${receivers(context, type)}
${sample && html`<details><summary>${texts.catalog.example}</summary>${copyable(context, JSON.stringify(sample, null, 2), `${texts.catalog.example} ${type}`)}</details>`}</section>`
}

export async function catalogPage(context: Context): Promise<Page> {
  const { texts, database } = context
  const { catalog } = texts
  const { json } = await listSampleEvents(database, null)
  const samples = new Map(
    (JSON.parse(json.toString()) as Sample[]).map(sample => [sample.event_type, sample]),
  )
  const groups = Object.entries(eventGroups).map(
    ([group, types]) => html`<h2>${texts.eventGroups[group as keyof typeof eventGroups]}</h2>
<div class="halves">${types.map(type => entry(context, type, samples.get(type)))}</div>`,
  )
  return {
    title: catalog.title,
    area: 'events',
    trail: { path: '/dashboard/events', text: texts.pages.events },
    content: html`<p>${catalog.intro}</p>
${groups}`,
  }
}
