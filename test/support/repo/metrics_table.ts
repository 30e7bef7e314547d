// The table of docs/reference/metrics.md, made from the registries themselves.
import { openLog } from '../../../src/observability/log.ts'
import { countProcess, countRequests, countWork } from '../../../src/observability/metrics/count.ts'
import { workspaceGauges } from '../../../src/observability/metrics/scrape.ts'

export type ListedMetric = { name: string; kind: string; help: string; labels: string[] }

/** Each once, as the service declares it. */
export async function allMetrics(): Promise<ListedMetric[]> {
  const log = openLog('silent')
  const process = countProcess(log, () => true)
  const listed = new Map<string, ListedMetric>()
  for (const registry of [countRequests(log), countWork(log), process])
    for (const { name, help, type } of await registry.getMetricsAsJSON()) {
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
      listed.set(name, { name, kind: String(type), help, labels: labelNames })
    }
  for (const [name, { help, labels = [] }] of Object.entries(workspaceGauges))
    listed.set(name, { name, kind: 'gauge', help, labels })
  return [...listed.values()]
}

const nameOf = ({ name, labels }: ListedMetric) =>
  `\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``

const table = /\| Metric \| Kind \| \|\n[\s\S]*?(?=\n\n)/

/** The page with its table as it must be. */
export async function withMetricsTable(page: string): Promise<string> {
  const rows = (await allMetrics()).map(one => `| ${nameOf(one)} | ${one.kind} | ${one.help} |`)
  return page.replace(table, () => ['| Metric | Kind | |', '|---|---|---|', ...rows].join('\n'))
}
