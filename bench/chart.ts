// The figures as one SVG: a bar per figure that has a reach, as long as its ratio to the reach.
import { digits, type Report } from './report.ts'
import { type Figure, isReached, ratioOf } from './row.ts'

const rowHeight = 22
const barWidth = 360
// Of the font below, on the average.
const characterWidth = 6.5
// Bars of twice the reach and more are equally long.
const ratioMax = 2

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)

function bar(label: string, figure: Figure, index: number, labelWidth: number): string {
  const y = 40 + index * rowHeight
  const length = (Math.min(ratioOf(figure) ?? 0, ratioMax) / ratioMax) * barWidth
  const shown = figure.value === null ? '–' : `${digits(figure.value)} ${figure.unit}`
  return [
    `<text x="${labelWidth - 8}" y="${y + 14}" text-anchor="end">${escaped(label)}</text>`,
    `<rect x="${labelWidth}" y="${y + 3}" width="${length.toFixed(1)}" height="15" fill="${isReached(figure) ? '#2f7d4f' : '#b3382c'}"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 14}">${escaped(shown)}</text>`,
  ].join('\n')
}

export function reportChart(report: Report): string {
  const bars = report.rows.flatMap(({ name, figures }) =>
    figures
      .filter(({ reach }) => reach !== undefined)
      .map(figure => ({ label: `${name}: ${figure.name}`, figure })),
  )
  const height = 60 + bars.length * rowHeight
  const longest = Math.max(0, ...bars.map(({ label }) => label.length))
  const labelWidth = 16 + characterWidth * longest
  const width = labelWidth + barWidth + 130
  const x = labelWidth + barWidth / ratioMax
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${x}" y="24" text-anchor="middle">figure to reach</text>
${bars.map(({ label, figure }, index) => bar(label, figure, index, labelWidth)).join('\n')}
<line x1="${x}" y1="32" x2="${x}" y2="${height - 14}" stroke="#222" stroke-dasharray="3 3"/>
</svg>
`
}
