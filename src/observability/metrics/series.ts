// Counters, and their text for a scrape (Prometheus 0.0.4). Counting is an addition to an array that exists already.
import { type MetricName, metricCatalog } from './catalog.ts'

/** One cell; of a histogram one per bound, one for what is beyond, and the sum. */
export type Series = { name: MetricName; labels: Record<string, string>; cells: Float64Array }

/** How many cells one series of it has. */
export const lengthOf = (name: MetricName): number => {
  const { bounds } = metricCatalog[name]
  return bounds === undefined ? 1 : bounds.length + 2
}

export const add = (cells: Float64Array, amount = 1): void => {
  cells[0] = (cells[0] ?? 0) + amount
}

export const set = (cells: Float64Array, value: number): void => {
  cells[0] = value
}

/** Counts a duration in its bucket alone; the text adds them up. */
export function observe(
  cells: Float64Array,
  bounds: readonly number[] | undefined,
  seconds: number,
): void {
  let bucket = 0
  while (bucket < cells.length - 2 && seconds > (bounds?.[bucket] ?? 0)) bucket += 1
  cells[bucket] = (cells[bucket] ?? 0) + 1
  cells[cells.length - 1] = (cells.at(-1) ?? 0) + seconds
}

/** One value as a series. */
export const value = (
  name: MetricName,
  of: number,
  labels: Record<string, string> = {},
): Series => ({ name, labels, cells: Float64Array.of(of) })

const escaped: Record<string, string> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }
const escapeLabel = (text: string) => text.replace(/[\\"\n]/g, found => escaped[found] ?? found)

function line(name: string, labels: Record<string, string>, of: number): string {
  const listed = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
  return `${name}${listed.length > 0 ? `{${listed.join(',')}}` : ''} ${of}\n`
}

function histogramLines({ name, labels, cells }: Series, bounds: readonly number[]): string {
  let count = 0
  let text = ''
  for (const [index, bound] of [...bounds, '+Inf'].entries()) {
    count += cells[index] ?? 0
    text += line(`${name}_bucket`, { ...labels, le: String(bound) }, count)
  }
  return (
    text + line(`${name}_sum`, labels, cells.at(-1) ?? 0) + line(`${name}_count`, labels, count)
  )
}

const linesOf = (series: Series): string => {
  const { bounds } = metricCatalog[series.name]
  return bounds === undefined
    ? line(series.name, series.labels, series.cells[0] ?? 0)
    : histogramLines(series, bounds)
}

/** The exposition format, metrics in the order of the catalog; those without a number are left out. */
export function exposition(all: readonly Series[]): string {
  const byName = Map.groupBy(all, ({ name }) => name)
  return Object.entries(metricCatalog)
    .filter(([name]) => byName.has(name as MetricName))
    .map(([name, { kind, help }]) => {
      const lines = byName
        .get(name as MetricName)
        ?.map(linesOf)
        .join('')
      return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines}`
    })
    .join('')
}
