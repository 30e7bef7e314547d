// hooks list | reactivate | deliver-missed.
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { uuidForm } from '../model/uuid.ts'
import { deliverMissed } from '../operations/deliveries.ts'
import { listHookStates, reactivateHook } from '../operations/hooks.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { UsageError, write } from './output.ts'

type HookState = Awaited<ReturnType<typeof listHookStates>>[number]

const stateOf = ({ paused_at, consecutive_failures }: HookState): string => {
  if (paused_at) return `paused ${paused_at}`
  return consecutive_failures === 0 ? 'active' : `active, ${consecutive_failures} failures in a row`
}

// A label comes from whoever holds a key: no line of its own making, no command to the terminal.
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')

// The address may hold a token in its path; the host is enough to know it by.
const lineOf = (hook: HookState): string =>
  [
    hook.id,
    stateOf(hook),
    new URL(hook.target_url).host,
    hook.event_types.join(','),
    hook.catch_up_cursor === null ? 'nothing missing' : `catch up after=${hook.catch_up_cursor}`,
    printable(hook.label ?? ''),
  ].join('  ')

async function list(database: Database, args: string[]) {
  readArguments(args, [])
  for (const hook of await listHookStates(database)) write(lineOf(hook))
}

async function reactivate(database: Database, args: string[]) {
  const { positionals, flags } = readArguments(args, [], 1, ['deliver-missed'])
  const [id = ''] = positionals
  if (!uuidForm.test(id)) throw new UsageError('hooks reactivate takes the id of a subscription.')
  if (!(await reactivateHook(database, id)))
    throw new UsageError('No paused subscription has this id.')
  write(`reactivated ${id}`)
  if (flags.includes('deliver-missed'))
    write(`${await deliverMissed(database, id)} missed deliveries are on their way`)
}

async function deliver(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const [id = ''] = positionals
  if (!uuidForm.test(id))
    throw new UsageError('hooks deliver-missed takes the id of a subscription.')
  write(`${await deliverMissed(database, id)} missed deliveries are on their way`)
}

const actions: Record<string, (database: Database, args: string[]) => Promise<void>> = {
  list,
  reactivate,
  'deliver-missed': deliver,
}

export async function hooks(config: Config, [name = '', ...args]: string[]): Promise<void> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new UsageError('hooks takes list, reactivate or deliver-missed.')
  await withDatabase(config, ({ database }) => action(database, args))
}
