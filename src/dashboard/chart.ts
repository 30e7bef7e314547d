// A chart of 24 hours: a bar for each, in up to three colours, from good to bad.
import type { Reader } from './context.ts'
import { type Html, html } from './html.ts'
import { number } from './parts.ts'

type Counts = readonly [good: number, warn: number, bad: number]
type Step = { at: Date; counts: Counts }

const width = 720
const height = 96
const gap = 4
const hoursShown = 24
const tones = ['good', 'warn', 'bad'] as const

const totalOf = ({ counts: [good, warn, bad] }: Step) => good + warn + bad

/** A round number that nothing is above, with a whole half. */
function ceilingOf(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most))
  const factors = power === 1 ? [1, 2, 4, 6, 8] : [1, 2, 3, 4, 6, 8]
  return (factors.find(factor => factor * power >= most) ?? 10) * power
}

const said = (reader: Reader, counts: Counts, names: readonly string[]): string =>
  counts.map((count, at) => `${number(reader, count)} ${names[at]}`).join(', ')

function bar(reader: Reader, step: Step, at: number, top: number, names: readonly string[]): Html {
  const wide = width / hoursShown
  const x = (at * wide + gap / 2).toFixed(1)
  let y = height
  const parts = step.counts.map((count, kind) => {
    // Whatever there is can be seen: at least two pixels.
    const size = count === 0 ? 0 : Math.max(2, (count * (height - gap)) / top)
    y -= size
    return (
      size > 0 &&
      html`<rect class="${tones[kind]}" x="${x}" y="${y.toFixed(1)}" width="${(wide - gap).toFixed(1)}" height="${size.toFixed(1)}"/>`
    )
  })
  const moment = `${step.at.toISOString().slice(5, 16).replace('T', ' ')} UTC`
  return html`<g data-at="${step.at.toISOString()}"><title>${moment}: ${said(reader, step.counts, names)}</title><rect x="${x}" y="0" width="${(wide - gap).toFixed(1)}" height="${height}" fill="transparent"/>${parts}</g>
`
}

/** With both axes; `names` are what each of the three counts. */
export function chart<Hour extends { at: Date }>(
  reader: Reader,
  hours: readonly Hour[],
  countsOf: (hour: Hour) => Counts,
  names: readonly string[],
): Html {
  const steps = hours.map(hour => ({ at: hour.at, counts: countsOf(hour) }))
  const top = ceilingOf(Math.max(1, ...steps.map(totalOf)))
  const sums = tones.map((_, kind) =>
    steps.reduce((sum, { counts }) => sum + (counts[kind] ?? 0), 0),
  ) as unknown as Counts
  const shown = [steps[0], steps[Math.floor(steps.length / 2)], steps.at(-1)]
  return html`<figure class="plot">
<div class="y" aria-hidden="true"><span>${number(reader, top)}</span><span>0</span></div>
<svg class="chart" viewBox="0 0 ${width} ${height + 2}" preserveAspectRatio="none" role="img" aria-label="${said(reader, sums, names)}">
<line class="rule" x1="0" x2="${width}" y1="${gap}" y2="${gap}"/>
${steps.map((step, at) => bar(reader, step, at, top, names))}<line class="base" x1="0" x2="${width}" y1="${height + 1}" y2="${height + 1}"/>
</svg>
<div class="x" aria-hidden="true">${shown.map(step => step && html`<time datetime="${step.at.toISOString()}" data-as="hour">${step.at.toISOString().slice(11, 16)} UTC</time>`)}</div>
<figcaption class="x legend">${tones.map((tone, kind) => html`<span class="${tone}">${number(reader, sums[kind] ?? 0)} ${names[kind]}</span>`)}</figcaption>
</figure>`
}
