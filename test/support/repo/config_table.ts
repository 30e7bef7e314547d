// The table of docs/reference/configuration.md, made from the settings themselves.
import { factsOf, settingNames } from '../../../src/config/settings.ts'

const shown = (value = ''): string => (value === '' ? '' : `\`${value}\``)

const configTable = (): string =>
  ['| Variable | Default | |', '|---|---|---|']
    .concat(
      settingNames.map(name => {
        const { default: value, description } = factsOf(name)
        return `| \`${name}\` | ${shown(value)} | ${description} |`
      }),
    )
    .join('\n')

const table = /\| Variable \| Default \| \|\n[\s\S]*?(?=\n\n)/

/** The page with its table as it must be. */
export const withConfigTable = (page: string): string => page.replace(table, () => configTable())
