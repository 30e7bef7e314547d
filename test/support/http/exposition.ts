// Reads /metrics as strictly as the format 0.0.4 and the naming rules of Prometheus are written.
export type Parsed = {
  kinds: Record<string, string>
  /** By name and labels as they stand in the text. */
  values: Record<string, number>
}

const sampleLine = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const labelForm = /^[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"$/
const suffixes = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] }

type Kind = keyof typeof suffixes

const splitLabels = (text: string | undefined): string[] =>
  text === undefined ? [] : (text.match(/[^,=]+="(?:[^"\\]|\\.)*"/g) ?? [])

function readValue(text: string): number {
  if (!/^(?:[+-]?Inf|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(text))
    throw new Error(`no value: ${text}`)
  return Number(text.replace('Inf', 'Infinity'))
}

/** One metric: its HELP, its TYPE, then its samples, all of them together. */
function readMetric(block: string): { name: string; kind: Kind; samples: [string, number][] } {
  const [help = '', type = '', ...lines] = block.split('\n')
  const name = /^# HELP (\w+) \S.*\.$/.exec(help)?.[1] ?? ''
  const kind = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(type)
  if (name === '' || kind?.[1] !== name) throw new Error(`no HELP and TYPE: ${help} ${type}`)
  const allowed = suffixes[kind[2] as Kind].map(suffix => name + suffix)
  const samples = lines.map((line): [string, number] => {
    const [, sample = '', labels, value = ''] = sampleLine.exec(line) ?? []
    if (!allowed.includes(sample)) throw new Error(`no sample of ${name}: ${line}`)
    const listed = splitLabels(labels)
    if (labels !== undefined && (listed.join(',') !== labels || labels === ''))
      throw new Error(`labels: ${line}`)
    if (!listed.every(label => labelForm.test(label))) throw new Error(`labels: ${line}`)
    if (new Set(listed.map(label => label.split('=')[0])).size < listed.length)
      throw new Error(`a label twice: ${line}`)
    return [line.slice(0, line.lastIndexOf(' ')), readValue(value)]
  })
  return { name, kind: kind[2] as Kind, samples }
}

/** Buckets ascend in bound and count, and end with +Inf, which is the count; a sum stands next to it. */
function checkHistogram(name: string, samples: [string, number][]): void {
  const values = Object.fromEntries(samples)
  const ladders = Map.groupBy(
    samples.filter(([sample]) => sample.startsWith(`${name}_bucket{`)),
    ([sample]) =>
      sample
        .replace(/([{,])le="[^"]*",?/, '$1')
        .replace(',}', '}')
        .replace('{}', ''),
  )
  for (const [bucket, ladder] of ladders) {
    const bounds = ladder.map(([sample]) => readValue(/[{,]le="([^"]*)"/.exec(sample)?.[1] ?? ''))
    const counts = ladder.map(([, count]) => count)
    const ascends = (list: number[]) =>
      list.every((one, at) => at === 0 || one >= (list[at - 1] ?? 0))
    if (!ascends(bounds) || !ascends(counts) || new Set(bounds).size < bounds.length)
      throw new Error(`${bucket}: ${bounds} ${counts}`)
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY) throw new Error(`${bucket}: no +Inf`)
    if (values[bucket.replace('_bucket', '_count')] !== counts.at(-1))
      throw new Error(`${bucket}: its count is another`)
    if (!(Number(values[bucket.replace('_bucket', '_sum')]) >= 0))
      throw new Error(`${bucket}: no sum`)
  }
  if (samples.length !== [...ladders.values()].reduce((sum, one) => sum + one.length + 2, 0))
    throw new Error(`${name}: samples of no bucket`)
}

function checkName(name: string, kind: Kind): void {
  if (name.endsWith('_total') !== (kind === 'counter')) throw new Error(`${name} is a ${kind}`)
  if (/_(bucket|count|sum|ms|milliseconds|minutes)$/.test(name))
    throw new Error(`a bad name: ${name}`)
}

/** Throws at the first thing that a strict reader would refuse. */
export function readExposition(text: string): Parsed {
  if (!text.endsWith('\n') || text.includes('\r')) throw new Error('lines end with \\n')
  const metrics = text
    .trimEnd()
    .split(/\n+(?=# HELP )/)
    .map(readMetric)
  const kinds: Record<string, string> = {}
  const values: Record<string, number> = {}
  for (const { name, kind, samples } of metrics) {
    if (name in kinds) throw new Error(`${name} comes twice`)
    kinds[name] = kind
    checkName(name, kind)
    if (kind === 'histogram') checkHistogram(name, samples)
    for (const [sample, value] of samples) {
      if (sample in values) throw new Error(`${sample} comes twice`)
      if (kind !== 'gauge' && !(value >= 0)) throw new Error(`${sample} is ${value}`)
      values[sample] = value
    }
  }
  return { kinds, values }
}

/** What only ever grows: counters, and every number of a histogram. */
export const growing = ({ kinds, values }: Parsed): [string, number][] =>
  Object.entries(values).filter(([sample]) => {
    const name = sample.replace(/\{.*/, '')
    return (
      kinds[name] === 'counter' || kinds[name.replace(/_(bucket|sum|count)$/, '')] === 'histogram'
    )
  })
