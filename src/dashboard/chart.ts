// The chart of the last day: one bar an hour, what was accepted below, what failed above it.
import type { AttemptHour } from '../operations/overview.ts'
import type { Context } from './context.ts'
import { type Html, html } from './html.ts'
import { number } from './parts.ts'

const width = 720
const height = 140
const gap = 4

export function chart(context: Context, hours: readonly AttemptHour[]): Html {
  const { overview } = context.texts
  const accepted = hours.reduce((sum, hour) => sum + hour.accepted, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  if (accepted + failed === 0) return html`<p class="muted">${overview.empty}</p>`
  const most = Math.max(...hours.map(hour => hour.accepted + hour.failed))
  const scale = (height - gap) / most
  const step = width / hours.length
  const bars = hours.map((hour, index) => {
    const x = (index * step + gap / 2).toFixed(1)
    // Whatever there is can be seen: at least two pixels.
    const size = (count: number) => (count === 0 ? 0 : Math.max(2, count * scale))
    const bar = (kind: string, from: number, count: number) =>
      html`<rect class="${kind}" x="${x}" y="${(height - from - size(count)).toFixed(1)}" width="${(step - gap).toFixed(1)}" height="${size(count).toFixed(1)}"/>`
    return html`<g>
<title>${hour.hour.toISOString().slice(11, 16)} UTC: ${overview.chartText(number(context, hour.accepted), number(context, hour.failed))}</title>
${bar('accepted', 0, hour.accepted)}${bar('failed', size(hour.accepted), hour.failed)}
</g>`
  })
  const label = overview.chartText(number(context, accepted), number(context, failed))
  return html`<figure>
<svg class="chart" viewBox="0 0 ${width} ${height + 2}" preserveAspectRatio="none" role="img" aria-label="${label}">
<line class="base" x1="0" x2="${width}" y1="${height + 1}" y2="${height + 1}"/>
${bars}
</svg>
<figcaption class="legend"><span class="is-accepted">${number(context, accepted)} ${overview.accepted}</span><span class="is-failed">${number(context, failed)} ${overview.failed}</span></figcaption>
</figure>`
}
