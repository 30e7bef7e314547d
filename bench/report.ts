// The table on stdout and the JSON file.
import { write } from '../src/cli/output.ts'
import { type Figure, isReached, type Reach, ratioOf } from './row.ts'

export type RowReport = { name: string; measures: string; figures: Figure[] }

export type Report = {
  at: string
  machine: string
  settings: string
  notes: string[]
  rows: RowReport[]
}

export const digits = (value: number): string => {
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}

const reachText = (reach: Reach) =>
  'atLeast' in reach ? `≥ ${reach.atLeast}` : `≤ ${reach.atMost}`

const state = (figure: Figure): string => {
  const reached = isReached(figure)
  return reached === undefined ? '' : reached ? 'ok' : 'missed'
}

function ratio(figure: Figure): string {
  const value = ratioOf(figure)
  return value === undefined || !Number.isFinite(value) ? '' : digits(value)
}

function cells(figure: Figure): string[] {
  const { name, value, unit, spread, reach, detail } = figure
  return [
    name,
    value === null ? '–' : `${digits(value)} ${unit}`,
    spread ? `${digits(spread[0])} to ${digits(spread[1])}` : '',
    reach ? reachText(reach) : '',
    ratio(figure),
    state(figure),
    detail ?? '',
  ]
}

const head = ['', 'figure', 'spread', 'reach', 'ratio', '', '']

export function printRow({ name, measures, figures }: RowReport): void {
  const lines = [head, ...figures.map(cells)]
  const widths = head.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  write(`\n${name}: ${measures}`)
  for (const line of lines) {
    const padded = line.map((cell, column) =>
      column === 0 || column > 4
        ? cell.padEnd(widths[column] ?? 0)
        : cell.padStart(widths[column] ?? 0),
    )
    write(`  ${padded.join('  ')}`.trimEnd())
  }
}

/** The last line: how many figures are reached, of those that have a reach or could not be measured. */
export function printSum({ rows }: Report): void {
  const states = rows.flatMap(({ figures }) => figures.map(isReached))
  const missed = states.filter(reached => reached === false).length
  const asked = states.filter(reached => reached !== undefined).length
  write(`\n${asked - missed} of ${asked} figures reached, ${missed} missed.`)
}
