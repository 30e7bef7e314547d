// Übersicht: what is left of it until the new pages are there.
import { listHookReports } from '../../operations/deliveries.ts'
import type { Context, Page } from '../context.ts'
import { html } from '../html.ts'
import { nameOf } from '../parts.ts'

export async function overviewPage(context: Context): Promise<Page> {
  const hooks = await listHookReports(context.database)
  return {
    title: context.texts.pages.overview,
    area: 'overview',
    content: html`<ul>${hooks.map(hook => html`<li>${nameOf(context.texts, hook)}</li>`)}</ul>`,
  }
}
