// hooks list | reactivate | deliver-missed | test | rotate | switch | deliveries | redeliver | notice-secret.
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { openLog } from '../log.ts'
import { uuidForm } from '../model/uuid.ts'
import {
  type DeliveryState,
  deliverMissed,
  listDeliveries,
  redeliver,
  sendTestEvent,
} from '../operations/deliveries.ts'
import { listHookStates, reactivateHook, rotateSecret, switchSecret } from '../operations/hooks.ts'
import { noticeSecret, openSecretsKeys } from '../secrets_key.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { printable, UsageError, write } from './output.ts'

type HookState = Awaited<ReturnType<typeof listHookStates>>[number]

const stateOf = ({ paused_at, consecutive_failures }: HookState): string => {
  if (paused_at) return `paused ${paused_at}`
  return consecutive_failures === 0 ? 'active' : `active, ${consecutive_failures} failures in a row`
}

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

function readHookId(name: string, positionals: string[]): string {
  const [id = ''] = positionals
  if (!uuidForm.test(id)) throw new UsageError(`hooks ${name} takes the id of a subscription.`)
  return id
}

async function reactivate(database: Database, args: string[]) {
  const { positionals, flags } = readArguments(args, [], 1, ['deliver-missed'])
  const id = readHookId('reactivate', positionals)
  if (!(await reactivateHook(database, id)))
    throw new UsageError('No paused subscription has this id.')
  write(`reactivated ${id}`)
  if (flags.includes('deliver-missed'))
    write(`${await deliverMissed(database, id)} missed deliveries are on their way`)
}

async function deliver(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const id = readHookId('deliver-missed', positionals)
  write(`${await deliverMissed(database, id)} missed deliveries are on their way`)
}

async function test(database: Database, args: string[]) {
  const { options, positionals } = readArguments(args, ['type'], 1)
  const id = readHookId('test', positionals)
  const sent = await sendTestEvent(database, id, options.type ?? null)
  if (sent === null)
    throw new UsageError('No active subscription has this id, or it does not list the type.')
  write(`test event on its way as delivery ${sent}`)
}

/** The keys the service has: one made here and now would make secrets that it cannot open. */
async function secretsKeys(database: Database, config: Config): Promise<Buffer[]> {
  const keys = await openSecretsKeys(config, database, openLog('silent'))
  if (keys.length === 0)
    throw new UsageError('SECRETS_KEY must be set: no key can be kept in DATA_DIR.')
  return keys
}

async function rotate(database: Database, args: string[], config: Config) {
  const { positionals } = readArguments(args, [], 1)
  const id = readHookId('rotate', positionals)
  const secret = await rotateSecret(database, id, await secretsKeys(database, config))
  if (secret === null) throw new UsageError('No subscription has this id.')
  write(secret)
}

async function switchToNew(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const id = readHookId('switch', positionals)
  if (!(await switchSecret(database, id)))
    throw new UsageError('No subscription of this id has an old secret that leads.')
  write(`the new secret of ${id} leads`)
}

const states: DeliveryState[] = ['failed', 'pending', 'skipped', 'delivered']
const deliveriesShown = 50

async function deliveries(database: Database, args: string[]) {
  const { options, positionals } = readArguments(args, ['state'], 1)
  const subscription_id = readHookId('deliveries', positionals)
  const state = states.find(one => one === (options.state ?? 'failed'))
  if (!state) throw new UsageError(`--state takes one of ${states.join(', ')}.`)
  const page = { subscription_id, state, before: null, limit: deliveriesShown }
  for (const { id, event_type, event_id, attempts, ended_at } of await listDeliveries(
    database,
    page,
  ))
    write([id, state, event_type, event_id, `${attempts} attempts`, ended_at ?? ''].join('  '))
}

async function sendAgain(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const [id = ''] = positionals
  if (!/^[1-9]\d{0,14}$/.test(id))
    throw new UsageError('hooks redeliver takes a delivery’s number.')
  if (!(await redeliver(database, Number(id))))
    throw new UsageError(
      'There is no such delivery, it is being sent, its subscription is paused, or its event is gone.',
    )
  write(`delivery ${id} is on its way again`)
}

async function showNoticeSecret(database: Database, args: string[], config: Config) {
  readArguments(args, [])
  for (const key of await secretsKeys(database, config)) write(noticeSecret(key))
}

type Action = (database: Database, args: string[], config: Config) => Promise<void>

const actions: Record<string, Action> = {
  list,
  reactivate,
  'deliver-missed': deliver,
  test,
  rotate,
  switch: switchToNew,
  deliveries,
  redeliver: sendAgain,
  'notice-secret': showNoticeSecret,
}

export async function hooks(config: Config, [name = '', ...args]: string[]): Promise<void> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action) throw new UsageError(`hooks takes one of ${Object.keys(actions).join(', ')}.`)
  await withDatabase(config, ({ database }) => action(database, args, config))
}
