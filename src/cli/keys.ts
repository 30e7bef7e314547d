// keys create | list | revoke.
import { isKeyLabel, keyLabelLengthMax } from '../model/api_key.ts'
import { defaultScopes, isScope, type Scope, scopes } from '../model/scope.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../operations/keys.ts'
import {
  type Command,
  printable,
  progress,
  readMoment,
  UsageError,
  write,
  writeJson,
} from './command.ts'
import { withDatabase } from './database.ts'

function readScopes(list: string | undefined): Scope[] {
  if (list === undefined) return defaultScopes
  const named = [...new Set(list.split(',').map(name => name.trim()))]
  const unknown = named.filter(name => !isScope(name))
  if (unknown.length === 0) return named.filter(isScope)
  throw new UsageError(`There is no scope ${unknown.join(', ')}. Scopes: ${scopes.join(', ')}.`)
}

export const keyCommands: Command[] = [
  {
    line: 'keys create --label L [--scopes A,B] [--expires MOMENT]',
    does: 'makes an API key and prints it, once; without scopes it has every read scope but read:signals',
    async run({ options }, config) {
      const label = options.label?.trim() ?? ''
      if (!isKeyLabel(label))
        throw new UsageError(`--label takes 1 to ${keyLabelLengthMax} printable characters.`)
      const expires_at = options.expires ? readMoment(options.expires, 'expires') : null
      if (expires_at !== null && expires_at.getTime() <= Date.now())
        throw new UsageError('--expires takes a moment that is still to come.')
      const input = { label, scopes: readScopes(options.scopes), expires_at }
      await withDatabase(config, async ({ database }) =>
        write((await createApiKey(database, input)).key),
      )
    },
  },
  {
    line: 'keys list',
    does: 'lists the keys',
    run: (_given, config) =>
      withDatabase(config, async ({ database }) => {
        const keys = await listApiKeys(database)
        if (keys.length === 0) progress('There are no keys.')
        for (const key of keys) writeJson(key)
      }),
  },
  {
    line: 'keys revoke KEY',
    does: 'revokes a key, by itself, its prefix or its id',
    run: ({ places: [text = ''] }, config) =>
      withDatabase(config, async ({ database }) => {
        const revoked = await revokeApiKey(database, text)
        if (revoked.length === 0) throw new Error('No live key has this text, prefix or id.')
        for (const key of revoked) write(`revoked ${key.prefix} (${printable(key.label)})`)
      }),
  },
]
