// Reads /metrics by the text format 0.0.4.
type Parsed = {
  kinds: Record<string, string>
  /** By name and labels as they stand in the text. */
  values: Record<string, number>
}

const sampleForm = /^([a-zA-Z_:][\w:]*)(\{.*\})? ([+-]?Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/

/** Throws for a line that is no sample, a sample of no metric, and what comes twice. */
export function readExposition(text: string): Parsed {
  const kinds: Record<string, string> = {}
  const values: Record<string, number> = {}
  for (const line of text.trimEnd().split('\n')) {
    const [, metric = '', kind = ''] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (kind !== '' && metric in kinds) throw new Error(`${metric} comes twice`)
    if (kind !== '') kinds[metric] = kind
    if (line.startsWith('# ') || line === '') continue
    const [, name = '', , value = ''] = sampleForm.exec(line) ?? []
    const sample = line.slice(0, line.lastIndexOf(' '))
    if (!(name in kinds || name.replace(/_(bucket|sum|count)$/, '') in kinds) || sample in values)
      throw new Error(`no sample, or twice: ${line}`)
    values[sample] = Number(value.replace('Inf', 'Infinity'))
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
