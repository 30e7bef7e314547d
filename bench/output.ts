// The table, in Markdown, and the picture: a bar per figure that has a reach, as long as its ratio to the reach.
import { type Figure, isReached, ratioOf } from './figures.ts'

export type RowReport = { name: string; figures: Figure[] }

const digits = (value: number): string => {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}

const withUnit = (value: number | null, unit: string) =>
  value === null ? '–' : `${digits(value)} ${unit}`.trim()

function cells({ name, value, unit, spread, reach, detail = '' }: Figure, row: string): string[] {
  const reached = isReached({ name, value, unit, reach })
  return [
    row,
    name,
    withUnit(value, unit),
    spread ? `${digits(spread[0])} to ${digits(spread[1])}` : '',
    reach ? ('atLeast' in reach ? `≥ ${reach.atLeast}` : `≤ ${reach.atMost}`) : '',
    reached === undefined ? '' : reached ? 'ok' : 'missed',
    detail.replaceAll('|', '/'),
  ]
}

const head = ['Row', 'Figure', 'Measured', 'Spread', 'Reach', '', 'Detail']

/** Lines of one table. */
export function markdownOf(rows: readonly RowReport[]): string {
  const lines = [
    head,
    head.map(() => ''),
    ...rows.flatMap(({ name, figures }) => figures.map(one => cells(one, name))),
  ]
  const widths = head.map((_, column) =>
    Math.max(3, ...lines.map(line => line[column]?.length ?? 0)),
  )
  return lines
    .map((line, place) =>
      line.map((cell, column) => cell.padEnd(widths[column] ?? 0, place === 1 ? '-' : ' ')),
    )
    .map(line => `| ${line.join(' | ')} |`)
    .join('\n')
}

/** How many figures are missed, of those that have a reach or could not be measured. */
export function missedOf(rows: readonly RowReport[]): { missed: number; asked: number } {
  const states = rows.flatMap(({ figures }) => figures.map(isReached))
  const missed = states.filter(reached => reached === false).length
  return { missed, asked: states.filter(reached => reached !== undefined).length }
}

const rowHeight = 22
const barWidth = 360
// Of the font below, on the average.
const characterWidth = 6.5
// Bars of twice the reach and more are equally long.
const ratioMax = 2

function bar(label: string, one: Figure, index: number, labelWidth: number): string {
  const y = 40 + index * rowHeight
  const length = (Math.min(ratioOf(one) ?? 0, ratioMax) / ratioMax) * barWidth
  const color = isReached(one) ? '#2f7d4f' : '#b3382c'
  return [
    `<text x="${labelWidth - 8}" y="${y + 14}" text-anchor="end">${label}</text>`,
    `<rect x="${labelWidth}" y="${y + 3}" width="${length.toFixed(1)}" height="15" fill="${color}"/>`,
    `<text x="${(labelWidth + length + 6).toFixed(1)}" y="${y + 14}">${withUnit(one.value, one.unit)}</text>`,
  ].join('\n')
}

export function pictureOf(rows: readonly RowReport[]): string {
  const bars = rows.flatMap(({ name, figures }) =>
    figures
      .filter(({ reach }) => reach !== undefined)
      .map(one => ({ label: `${name}: ${one.name}`, one })),
  )
  const height = 60 + bars.length * rowHeight
  const longest = Math.max(0, ...bars.map(({ label }) => label.length))
  const labelWidth = 16 + characterWidth * longest
  const width = labelWidth + barWidth + 130
  const x = labelWidth + barWidth / ratioMax
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${x}" y="24" text-anchor="middle">figure to reach</text>
${bars.map(({ label, one }, index) => bar(label, one, index, labelWidth)).join('\n')}
<line x1="${x}" y1="32" x2="${x}" y2="${height - 14}" stroke="#222" stroke-dasharray="3 3"/>
</svg>
`
}
