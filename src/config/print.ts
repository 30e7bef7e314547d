// The effective configuration as people may see it: secrets masked, and where each value came from.
import { existsSync } from 'node:fs'
import { dataFile, type KeptFile } from './data_dir.ts'
import { type Config, factsOf, settingNames } from './settings.ts'

type Source = 'default' | 'environment' | 'file'

/** `file`: the path of a file that the service made, for the source of that name. */
export type Listed = { name: string; value: string; source: Source; file?: string }

const mask = '***'

/** The address without its passwords; nothing of one whose parts are not where they seem to be. */
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return mask
  const url = new URL(text)
  if (url.password !== '') url.password = mask
  for (const name of url.searchParams.keys())
    if (/pass/i.test(name)) url.searchParams.set(name, mask)
  // An unescaped / or ? in a password ends the host too early: the rest of it would follow in clear text.
  const rest = url.pathname + url.search + url.hash
  return rest.includes('@') ? mask : url.href
}

/** What the service made and keeps, where the environment says nothing. */
function madeFile(config: Config, file: KeptFile | undefined): string | undefined {
  // With a DATABASE_URL there is no embedded server, whose password and address these are.
  if (file === undefined || (config.DATABASE_URL !== undefined && file !== 'secrets_key')) return
  const path = dataFile(config, file)
  return existsSync(path) ? path : undefined
}

function shown(name: string, value: unknown, secret: boolean | undefined): string {
  const text = value === undefined ? '' : Array.isArray(value) ? value.join(',') : String(value)
  if (!secret || text === '') return text
  return /^DATABASE_\w*URL$/.test(name) ? maskUrl(text) : mask
}

/** The effective values in the order of the settings, secrets masked, with where each came from. */
function listConfig(config: Config, environment: Record<string, string | undefined>): Listed[] {
  return settingNames.map(name => {
    const { secret, file } = factsOf(name)
    const value = shown(name, config[name], secret)
    if (environment[name]) return { name, value, source: 'environment' }
    const made = madeFile(config, file)
    return made === undefined
      ? { name, value, source: 'default' }
      : { name, value: mask, source: 'file', file: made }
  })
}

/** The same, one `NAME=value  # source` line each. */
export const printConfig = (
  config: Config,
  environment: Record<string, string | undefined>,
): string =>
  listConfig(config, environment)
    .map(({ name, value, source, file }) =>
      [`${name}=${value}  # ${source}`, ...(file === undefined ? [] : [file])].join(' '),
    )
    .join('\n')
