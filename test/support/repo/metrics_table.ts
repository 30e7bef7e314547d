// The table of docs/reference/metrics.md, made from the catalog itself.
import { metricCatalog } from '../../../src/observability/metrics/catalog.ts'

const nameOf = (name: string, labels: readonly string[] = []) =>
  `\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``

const metricsTable = (): string =>
  ['| Metric | Kind | |', '|---|---|---|']
    .concat(
      Object.entries(metricCatalog).map(
        ([name, { kind, help, labels }]) => `| ${nameOf(name, labels)} | ${kind} | ${help} |`,
      ),
    )
    .join('\n')

const table = /\| Metric \| Kind \| \|\n[\s\S]*?(?=\n\n)/

/** The page with its table as it must be. */
export const withMetricsTable = (page: string): string => page.replace(table, () => metricsTable())
