// The tables of routes, tools and commands in the documentation, made from the registries themselves.
import { tools } from '../../../src/api/mcp/tools.ts'
import { restRoutes } from '../../../src/api/rest/routes.ts'
import { commands } from '../../../src/cli/commands.ts'

const code = (text: string) => `\`${text}\``
const namesOf = (taken: object) => Object.keys(taken).map(code).join(', ')

const routesTable = (): string =>
  ['| Method | Path below `/api/v1` | Scope | Summary | Query |', '|---|---|---|---|---|']
    .concat(
      restRoutes.map(
        ({ method, path, scope, summary, query }) =>
          `| ${method} | ${code(path)} | ${code(scope)} | ${summary} | ${namesOf(query)} |`,
      ),
    )
    .join('\n')

/** One that means the same on several routes has one row. */
function parametersTable(): string {
  const all = restRoutes.flatMap(({ path, query }) =>
    Object.entries(query).map(([name, { description }]) => ({ path, name, description })),
  )
  const rows = Map.groupBy(all, ({ name, description }) => `${name} ${description}`)
    .values()
    .map(([first, ...others]) => {
      const paths = [first, ...others].map(one => code(one?.path ?? '')).join(', ')
      return `| ${code(first?.name ?? '')} | ${paths} | ${first?.description} |`
    })
  return ['| Parameter | Of | |', '|---|---|---|', ...rows].join('\n')
}

const toolsTable = (): string =>
  ['| Tool | Scope | Arguments | Title |', '|---|---|---|---|']
    .concat(
      tools.map(
        ({ name, scope, input, title }) =>
          `| ${code(name)} | ${code(scope)} | ${namesOf(input)} | ${title} |`,
      ),
    )
    .join('\n')

/** The guide to REST with its tables as they must be. */
export const withRoutesTable = (page: string): string =>
  page
    .replace(/\| Method \| Path below .*\n[\s\S]*?(?=\n\n)/, routesTable)
    .replace(/\| Parameter \| Of .*\n[\s\S]*?(?=\n\n)/, parametersTable)

/** The guide to tools with its table as it must be. */
export const withToolsTable = (page: string): string =>
  page.replace(/\| Tool \| Scope .*\n[\s\S]*?(?=\n\n)/, toolsTable)

const commandsTable = (): string =>
  ['| Command | Does |', '|---|---|']
    .concat(commands.map(({ line, does }) => `| ${code(line.replaceAll('|', '\\|'))} | ${does} |`))
    .join('\n')

/** The reference of commands with its table as it must be. */
export const withCommandsTable = (page: string): string =>
  page.replace(/\| Command \| Does .*\n[\s\S]*?(?=\n\n)/, commandsTable)
