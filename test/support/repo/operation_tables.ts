// The tables of routes and tools in docs/guides, made from the registries themselves.
import { tools } from '../../../src/api/mcp/tools.ts'
import { restRoutes } from '../../../src/api/rest/routes.ts'

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

const toolsTable = (): string =>
  ['| Tool | Scope | Arguments | Title |', '|---|---|---|---|']
    .concat(
      tools.map(
        ({ name, scope, takes, title }) =>
          `| ${code(name)} | ${code(scope)} | ${namesOf(takes)} | ${title} |`,
      ),
    )
    .join('\n')

/** The guide to REST with its table as it must be. */
export const withRoutesTable = (page: string): string =>
  page.replace(/\| Method \| Path below .*\n[\s\S]*?(?=\n\n)/, routesTable)

/** The guide to tools with its table as it must be. */
export const withToolsTable = (page: string): string =>
  page.replace(/\| Tool \| Scope .*\n[\s\S]*?(?=\n\n)/, toolsTable)
