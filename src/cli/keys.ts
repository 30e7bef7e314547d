// keys create | list | revoke.
import { isKeyLabel, keyLabelLengthMax } from '../model/api_key.ts'
import { defaultScopes, isScope, type Scope, scopes } from '../model/scope.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../operations/keys.ts'
import { type Command, onDatabase, readMoment } from './command.ts'
import { columns, printable, progress, UsageError, write } from './output.ts'

function readScopes(list: string | undefined): Scope[] {
  if (list === undefined) return defaultScopes
  const names = list.split(',').map(name => name.trim())
  const named = [...new Set(names)].filter(name => name !== '')
  if (named.length === 0) throw new UsageError(`Give at least one scope: ${scopes.join(', ')}.`)
  const unknown = named.filter(name => !isScope(name))
  if (unknown.length > 0)
    throw new UsageError(`There is no scope ${unknown.join(', ')}. Scopes: ${scopes.join(', ')}.`)
  return named.filter(isScope)
}

function readExpiry(text: string | undefined): Date | null {
  if (text === undefined) return null
  const moment = readMoment(text, 'expires')
  if (moment.getTime() > Date.now()) return moment
  throw new UsageError('--expires takes a moment to come, such as 2030-01-01T00:00:00Z.')
}

const create = onDatabase(
  'keys create --label L [--scopes A,B] [--expires MOMENT]',
  'makes an API key and prints it, once; without scopes it has every read scope but read:signals',
  ({ options }) => {
    const label = options.label?.trim() ?? ''
    if (!isKeyLabel(label))
      throw new UsageError(`--label takes 1 to ${keyLabelLengthMax} printable characters.`)
    const input = {
      label,
      scopes: readScopes(options.scopes),
      expires_at: readExpiry(options.expires),
    }
    return async database => write((await createApiKey(database, input)).key)
  },
)

type KeyRow = Awaited<ReturnType<typeof listApiKeys>>[number]

function stateOf({ revoked_at, expires_at }: KeyRow): string {
  if (revoked_at) return `revoked ${revoked_at}`
  if (expires_at && Date.parse(expires_at) <= Date.now()) return `expired ${expires_at}`
  return expires_at ? `live until ${expires_at}` : 'live'
}

const list = onDatabase('keys list', 'lists the keys', () => async database => {
  const rows = await listApiKeys(database)
  if (rows.length === 0) progress('There are no keys.')
  for (const row of rows) {
    const used = `last used ${row.last_used_at ?? 'never'}`
    write(
      columns(row.prefix, row.id, stateOf(row), used, row.scopes.join(','), printable(row.label)),
    )
  }
})

const revoke = onDatabase(
  'keys revoke KEY',
  'revokes a key, by itself, its prefix or its id',
  given => async database => {
    const revoked = await revokeApiKey(database, given.places[0] ?? '')
    if (revoked.length === 0) throw new Error('No live key has this text, prefix or id.')
    for (const key of revoked) write(`revoked ${key.prefix} (${printable(key.label)})`)
  },
)

export const keyCommands: Command[] = [create, list, revoke]
