// The README's table of metrics, made from the catalog itself.
import { catalog } from '../../src/metrics/catalog.ts'

const nameOf = (name: string, labels: readonly string[] = []) =>
  `\`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}\``

export const metricsTable = (): string =>
  ['| Metric | Kind | |', '|---|---|---|']
    .concat(
      Object.entries(catalog).map(
        ([name, { kind, help, labels }]) => `| ${nameOf(name, labels)} | ${kind} | ${help} |`,
      ),
    )
    .join('\n')

const table = /\| Metric \| Kind \| \|\n[\s\S]*?(?=\n\n)/

/** The README with its table as it must be. */
export const withMetricsTable = (readme: string): string =>
  readme.replace(table, () => metricsTable())
