// Charts of attempts over time: bars with axes, and a small one for a row of a table.
import type { Step } from '../operations/health.ts'
import type { Context } from './context.ts'
import { type Html, html } from './html.ts'
import { number } from './parts.ts'

const width = 720
const height = 144
const gap = 4

type Kind = 'delivered' | 'retried' | 'failed'
const kinds: Kind[] = ['delivered', 'retried', 'failed']
const tones = { delivered: 'good', retried: 'warn', failed: 'bad' } as const

const totalOf = (step: Step) => step.delivered + step.retried + step.failed
const sumOf = (steps: readonly Step[], kind: Kind) =>
  steps.reduce((sum, step) => sum + step[kind], 0)

/** A round number that nothing is above, with a whole half. */
function ceilingOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  const factors = power === 1 ? [1, 2, 4, 6, 8] : [1, 2, 3, 4, 6, 8]
  return (factors.find(factor => factor * power >= most) ?? 10) * power
}

function barOf(context: Context, step: Step, index: number, count: number, top: number): Html {
  const { chart } = context.texts
  const wide = width / count
  const x = (index * wide + gap / 2).toFixed(1)
  let y = height
  const parts = kinds.map(kind => {
    // Whatever there is can be seen: at least two pixels.
    const size = step[kind] === 0 ? 0 : Math.max(2, (step[kind] * (height - gap)) / top)
    y -= size
    return (
      size > 0 &&
      html`<rect class="${kind}" x="${x}" y="${y.toFixed(1)}" width="${(wide - gap).toFixed(1)}" height="${size.toFixed(1)}"/>`
    )
  })
  const said = chart.step(
    ...(kinds.map(kind => number(context, step[kind])) as [string, string, string]),
  )
  return html`<g data-at="${step.at.toISOString()}"><title>${step.at.toISOString().slice(5, 16).replace('T', ' ')} UTC: ${said}</title><rect x="${x}" y="0" width="${(wide - gap).toFixed(1)}" height="${height}" fill="transparent"/>${parts}</g>
`
}

const moment = (at: Date, isLong: boolean): Html =>
  html`<time datetime="${at.toISOString()}" data-as="${isLong ? 'day' : 'hour'}">${isLong ? at.toISOString().slice(5, 10) : `${at.toISOString().slice(11, 16)} UTC`}</time>`

const dayMs = 86_400_000

/** What arrived, what was tried again and what was given up, with both axes. */
export function chart(context: Context, steps: readonly Step[]): Html {
  const { texts } = context
  const most = Math.max(...steps.map(totalOf))
  if (most === 0) return html`<p class="muted">${texts.chart.empty}</p>`
  const top = ceilingOf(most)
  const [first, last] = [steps[0], steps.at(-1)]
  const middle = steps[Math.floor(steps.length / 2)]
  const isLong = (last?.at.getTime() ?? 0) - (first?.at.getTime() ?? 0) > dayMs
  const totals = sums(context, steps)
  return html`<figure class="plot">
<div class="y" aria-hidden="true"><span>${number(context, top)}</span><span>${top > 1 && number(context, top / 2)}</span><span>0</span></div>
<svg class="chart" viewBox="0 0 ${width} ${height + 2}" preserveAspectRatio="none" role="img" aria-label="${texts.chart.step(...totals)}">
<line class="rule" x1="0" x2="${width}" y1="${gap}" y2="${gap}"/><line class="rule" x1="0" x2="${width}" y1="${height / 2}" y2="${height / 2}"/>
${steps.map((step, index) => barOf(context, step, index, steps.length, top))}<line class="base" x1="0" x2="${width}" y1="${height + 1}" y2="${height + 1}"/>
</svg>
<div class="x" aria-hidden="true">${[first, middle, last].map(step => step && moment(step.at, isLong))}</div>
<figcaption class="x legend">${kinds.map((kind, index) => html`<span class="${tones[kind]}">${totals[index]} ${texts.chart[kind]}</span>`)}</figcaption>
</figure>`
}

const sparkHeight = 22
const sparkStep = 4

const sums = (context: Context, steps: readonly Step[]) =>
  kinds.map(kind => number(context, sumOf(steps, kind))) as [string, string, string]

/** An area with a stair for each height: alike ones in a row are one, since a page has a hundred of these. */
function stairs(heights: readonly number[]): string {
  let path = `M0 ${sparkHeight}`
  let wide = 0
  let last = 0
  const ended = [...heights, 0]
  ended.forEach((height, index) => {
    if (height !== last) {
      path += `${wide > 0 ? `h${wide}` : ''}V${sparkHeight - height}`
      wide = 0
      last = height
    }
    if (index < heights.length) wide += sparkStep
  })
  return path
}

/** Hour by hour: as high as its attempts, and from below in the chart's colours as far as they failed or were tried again. */
export function sparkline(context: Context, steps: readonly Step[]): Html {
  const most = Math.max(...steps.map(totalOf))
  if (most === 0) return html`–`
  const heightOf = (count: number) =>
    count === 0 ? 0 : Math.max(2, Math.round((count / most) * sparkHeight))
  const all = stairs(steps.map(step => heightOf(totalOf(step))))
  const part = (kind: Kind, countOf: (step: Step) => number): Html | false =>
    sumOf(steps, kind) > 0 &&
    html`<path class="${kind}" d="${stairs(steps.map(step => heightOf(countOf(step))))}"/>`
  const retried = part('retried', step => step.retried && step.retried + step.failed)
  const failed = part('failed', step => step.failed)
  return html`<svg class="spark" viewBox="0 0 ${steps.length * sparkStep} ${sparkHeight}" role="img" aria-label="${context.texts.chart.step(...sums(context, steps))}"><path class="delivered" d="${all}"/>${retried}${failed}</svg>`
}
