// keys create | list | revoke.
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { isKeyLabel, keyLabelLengthMax } from '../model/api_key.ts'
import { defaultScopes, isScope, type Scope, scopes } from '../model/scope.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../operations/keys.ts'
import { dateTimeParameter } from '../operations/parameters.ts'
import { readArguments } from './arguments.ts'
import { withReadyDatabase } from './database.ts'
import { printable, progress, UsageError, write } from './output.ts'

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

function readMoment(text: string | undefined): Date | null {
  if (text === undefined) return null
  const parsed = dateTimeParameter('').parse(text)
  const moment = new Date(parsed ?? Number.NaN)
  if (Number.isNaN(moment.getTime()) || moment.getTime() <= Date.now())
    throw new UsageError(
      '--expires takes a moment to come, with an offset, such as 2030-01-01T00:00:00Z.',
    )
  return moment
}

/** Reads its arguments before the database is opened: a mistake in them is one whether there is a database or not. */
type Action = (args: string[]) => (database: Database) => Promise<void>

const create: Action = args => {
  const { options } = readArguments(args, ['label', 'scopes', 'expires'])
  if (options.label === undefined)
    throw new UsageError('--label is missing: name what the key is for, such as --label CRM.')
  const label = options.label.trim()
  if (!isKeyLabel(label))
    throw new UsageError(`--label takes 1 to ${keyLabelLengthMax} printable characters.`)
  const input = {
    label,
    scopes: readScopes(options.scopes),
    expires_at: readMoment(options.expires),
  }
  return async database => write((await createApiKey(database, input)).key)
}

type KeyRow = Awaited<ReturnType<typeof listApiKeys>>[number]

const stateOf = ({ revoked_at, expires_at }: KeyRow): string => {
  if (revoked_at) return `revoked ${revoked_at}`
  if (expires_at && Date.parse(expires_at) <= Date.now()) return `expired ${expires_at}`
  return expires_at ? `live until ${expires_at}` : 'live'
}

const lineOf = (row: KeyRow): string =>
  [
    row.prefix,
    row.id,
    stateOf(row),
    `last used ${row.last_used_at ?? 'never'}`,
    row.scopes.join(','),
    printable(row.label),
  ].join('  ')

const list: Action = args => {
  readArguments(args, [])
  return async database => {
    const rows = await listApiKeys(database)
    if (rows.length === 0) progress('There are no keys.')
    for (const row of rows) write(lineOf(row))
  }
}

const revoke: Action = args => {
  const { positionals } = readArguments(args, [], 1)
  const [named] = positionals
  if (named === undefined)
    throw new UsageError('keys revoke takes one key, prefix (wda_ and 8 characters) or id.')
  return async database => {
    const revoked = await revokeApiKey(database, named)
    if (revoked.length === 0) throw new Error('No live key has this text, prefix or id.')
    for (const key of revoked) write(`revoked ${key.prefix} (${printable(key.label)})`)
  }
}

const actions: Record<string, Action> = { create, list, revoke }

export async function keys(config: Config, [name = '', ...args]: string[]): Promise<void> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new UsageError('keys takes create, list or revoke.')
  const work = action(args)
  await withReadyDatabase(config, ({ database }) => work(database))
}
