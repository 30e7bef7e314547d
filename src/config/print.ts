// The effective configuration as people may see it: one `NAME=value  # source` line each, secrets masked.
import { type Config, type SettingName, settingNames } from './settings.ts'

const mask = '***'

/** The address without its passwords, however they are written: one ends at the last @. */
export const maskUrl = (text: string): string =>
  text
    .replace(/^(\w+:\/\/[^:@]*):.*@/s, `$1:${mask}@`)
    .replace(/([?&][^=&]*pass[^=&]*=)[^&]*/gi, `$1${mask}`)

function shown(name: SettingName, value: unknown): string {
  const text = String(value ?? '')
  if (/^(SECRETS_KEY|DASHBOARD_PASSWORD|SMTP_URL)$/.test(name)) return text && mask
  return /^DATABASE_\w*URL$/.test(name) ? maskUrl(text) : text
}

export const printConfig = (
  config: Config,
  environment: Record<string, string | undefined>,
): string =>
  settingNames
    .map(name => [name, shown(name, config[name]), environment[name] ? 'environment' : 'default'])
    .map(([name, value, source]) => `${name}=${value}  # ${source}`)
    .join('\n')
