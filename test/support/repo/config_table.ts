// The table of docs/reference/configuration.md, made from the settings themselves.
import { settings } from '../../../src/config/settings.ts'

const shown = (value: unknown): string => {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``
}

const configTable = (): string =>
  ['| Variable | Default | |', '|---|---|---|']
    .concat(
      Object.entries(settings).map(
        ([name, { default: value, description }]) =>
          `| \`${name}\` | ${shown(value)} | ${description} |`,
      ),
    )
    .join('\n')

const table = /\| Variable \| Default \| \|\n[\s\S]*?(?=\n\n)/

/** The page with its table as it must be. */
export const withConfigTable = (page: string): string => page.replace(table, () => configTable())
