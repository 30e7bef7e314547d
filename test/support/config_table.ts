// The README's configuration table, made from the settings themselves.
import { settings } from '../../src/config.ts'

const shown = (value: unknown): string => {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  return `\`${Array.isArray(value) ? value.join(',') : String(value)}\``
}

export const configTable = (): string =>
  ['| Variable | Default | |', '|---|---|---|']
    .concat(
      Object.entries(settings).map(
        ([name, { default: value, description }]) =>
          `| \`${name}\` | ${shown(value)} | ${description} |`,
      ),
    )
    .join('\n')

const section = /(## Configuration\n\n)[\s\S]*?(\n\n## )/

/** The README with its table as it must be. */
export const withConfigTable = (readme: string): string =>
  readme.replace(section, (_all, before, after) => before + configTable() + after)
