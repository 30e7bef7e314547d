// Writes what the documentation takes from the program: the tables of settings, metrics, commands, routes, tools and indexes,
// the catalog of events and that of errors. bun run readme.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { operationTexts } from '../src/api/docs/texts.ts'
import { tools } from '../src/api/mcp/tools.ts'
import { commands } from '../src/cli/commands.ts'
import { factsOf, settingNames } from '../src/config/settings.ts'
import { openLog } from '../src/observability/log.ts'
import { countProcess, countRequests, countWork } from '../src/observability/metrics/count.ts'
import { workspaceGauges } from '../src/observability/metrics/scrape.ts'
import { routes } from '../src/operations/contract.ts'
import { catalogFiles } from './event_catalog.ts'
import { indexTable, settingsTable } from './index_table.ts'

const root = join(import.meta.dir, '..')
const code = (text = '') => (text === '' ? '' : `\`${text}\``)
const namesOf = (taken: object) => Object.keys(taken).map(code).join(', ')

type Metric = { name: string; kind: string; help: string; labels: string[] }

/** Each once, as the service declares it. */
export async function allMetrics(): Promise<Metric[]> {
  const log = openLog('silent')
  const process = countProcess(log, () => true)
  const listed = new Map<string, Metric>()
  for (const registry of [countRequests(log), countWork(log), process])
    for (const { name, help, type } of await registry.getMetricsAsJSON()) {
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] }
      listed.set(name, { name, kind: String(type), help, labels: labelNames })
    }
  for (const [name, { help, labels = [] }] of Object.entries(workspaceGauges))
    listed.set(name, { name, kind: 'gauge', help, labels })
  return [...listed.values()]
}

const metricRows = async () =>
  (await allMetrics()).map(({ name, kind, help, labels }) => [
    code(`${name}${labels.length > 0 ? `{${labels.join(',')}}` : ''}`),
    kind,
    help,
  ])

const settingRows = () =>
  settingNames.map(name => {
    const { default: value, description } = factsOf(name)
    return [code(name), code(value), description]
  })

const routeRows = () =>
  routes.map(({ name, method, path, scope, query }) => [
    ...[method, code(path), code(scope), operationTexts[name].summary, namesOf(query)],
  ])

/** One that means the same on several routes has one row. */
function parameterRows() {
  const all = routes.flatMap(({ path, query }) =>
    Object.entries(query).map(([name, { description }]) => ({ path, name, description })),
  )
  const same = Map.groupBy(all, ({ name, description }) => `${name} ${description}`)
  return [...same.values()].map(([first, ...others]) => [
    code(first?.name),
    [first, ...others].map(one => code(one?.path)).join(', '),
    first?.description,
  ])
}

const toolRows = () =>
  tools.map(({ name, scope, parameters, title }) => [
    ...[code(name), code(scope), namesOf(parameters), title],
  ])

const commandRows = () =>
  commands.map(({ line, does }) => [code(line.replaceAll('|', '\\|')), does])

type Rows = readonly (readonly unknown[])[]

/** The tables by page and head. */
const tables: [page: string, head: string, rows: () => Rows | Promise<Rows>][] = [
  ['docs/reference/configuration.md', 'Variable | Default |', settingRows],
  ['docs/reference/metrics.md', 'Metric | Kind |', metricRows],
  ['docs/reference/commands.md', 'Command | Does', commandRows],
  ['docs/guides/rest.md', 'Method | Path below `/api/v1` | Scope | Summary | Query', routeRows],
  ['docs/guides/rest.md', 'Parameter | Of |', parameterRows],
  ['docs/guides/tools.md', 'Tool | Scope | Arguments | Title', toolRows],
  ['sql/README.md', 'Table | Index | On | Serves', indexTable],
  ['sql/README.md', 'Table | Settings | Why', settingsTable],
]

/** Every page that has a part made from the program, as it must be. */
export async function generatedPages(): Promise<Record<string, string>> {
  const pages = catalogFiles()
  for (const [path, head, rowsOf] of tables) {
    const page = pages[path] ?? readFileSync(join(root, path), 'utf8')
    const [before = '', rest] = page.split(`| ${head} |\n`)
    if (rest === undefined) throw new Error(`${path} has no table of ${head}`)
    const columns = head.split('|').length
    const rows = (await rowsOf()).map(cells => `| ${cells.join(' | ')} |`)
    const table = [`| ${head} |`, `|${'---|'.repeat(columns)}`, ...rows].join('\n')
    pages[path] = before + table + rest.slice(rest.indexOf('\n\n'))
  }
  return pages
}

if (import.meta.main)
  for (const [path, text] of Object.entries(await generatedPages()))
    writeFileSync(join(root, path), text)
