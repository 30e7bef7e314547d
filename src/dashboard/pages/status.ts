// Dienst: what runs here, and with which settings.
import { getFeed } from '../../operations/overview.ts'
import type { Context, Page } from '../context.ts'
import { type Html, html } from '../html.ts'
import { moment, number } from '../parts.ts'

function faultsPart(context: Context): Html {
  const { status } = context.texts
  const { faults } = context.serving
  if (faults.length === 0)
    return html`<h2>${status.faults}</h2><p class="muted">${status.faultsNone}</p>`
  return html`<h2>${status.faults}</h2>
<p>${status.faultsText}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${status.faults}"><table class="cards">
<thead><tr><th scope="col">${status.faultAt}</th><th scope="col">${status.faultWhere}</th><th scope="col">${status.faultCode}</th><th scope="col">${status.faultRequest}</th></tr></thead>
<tbody>
${faults.map(
  ({ at, where, kind, requestId }) => html`<tr><th scope="row">${moment(context, at)}</th>
<td data-name="${status.faultWhere}">${where}</td><td data-name="${status.faultCode}"><code>${kind}</code></td>
<td class="long" data-name="${status.faultRequest}">${requestId ?? '–'}</td></tr>
`,
)}
</tbody></table></div>`
}

export async function statusPage(context: Context): Promise<Page> {
  const { texts, serving, database } = context
  const { about, origin } = serving
  const { status } = texts
  const { horizon } = await getFeed(database)
  const overridden = about.overridden.map(path => html`<li><code>${path}.sql</code></li>`)
  return {
    title: texts.pages.status,
    area: 'status',
    content: html`<dl class="facts">
<dt>${status.version}</dt><dd>${about.version}</dd>
<dt>${status.schema}</dt><dd>${about.schemaVersion}</dd>
<dt>${status.roles}</dt><dd>${about.roles.join(', ')}</dd>
<dt>${status.retention}</dt><dd>${status.days(about.retentionDays)}</dd>
<dt>${status.horizon}</dt><dd>${number(context, horizon)}</dd>
<dt>${status.overrides}</dt><dd>${overridden.length > 0 ? html`<ul>${overridden}</ul>` : status.overridesNone}</dd>
<dt>${status.notices}</dt><dd>${about.noticesOn ? status.noticesOn : status.noticesOff}</dd>
<dt>API</dt><dd><code>${origin}/api/v1</code></dd>
</dl>
${faultsPart(context)}
<h2>${texts.erasure.title}</h2>
<p>${texts.erasure.short} <a href="/dashboard/erasure">${texts.erasure.open}</a></p>
<h2>${status.settings}</h2>
<p>${status.settingsText}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${status.settings}"><table class="cards">
<thead><tr><th scope="col">${status.name}</th><th scope="col">${status.value}</th><th scope="col">${status.origin}</th></tr></thead>
<tbody>
${about.settings.map(
  ({ name, value, source }) => html`<tr><th scope="row"><code>${name}</code></th>
<td class="long" data-name="${status.value}">${value === '' ? '–' : value}</td>
<td data-name="${status.origin}">${status.origins[source]}</td></tr>
`,
)}
</tbody></table></div>`,
  }
}
