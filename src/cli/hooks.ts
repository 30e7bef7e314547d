// hooks list | reactivate | deliver-missed | dismiss | test | rotate | switch | deliveries | redeliver | notice-secret | trigger.
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { uuidForm } from '../model/uuid.ts'
import { openLog } from '../observability/log.ts'
import {
  cursorForm,
  deliverMissed,
  deliveryStates,
  dismissMissed,
  listDeliveries,
  redeliver,
  sendTestEvent,
} from '../operations/deliveries.ts'
import { reactivateHook, rotateSecret, switchSecret } from '../operations/hooks.ts'
import {
  countMax,
  getHookReport,
  type HookReport,
  listHookReports,
} from '../operations/overview.ts'
import { noticeSecret, openSecretsKeys } from '../secrets/secrets_key.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { printable, UsageError, write } from './output.ts'
import { readEventType } from './sample_event.ts'
import { trigger } from './trigger.ts'

const stateOf = ({ paused_at, consecutive_failures }: HookReport): string => {
  if (paused_at) return `paused ${paused_at}`
  return consecutive_failures === 0 ? 'active' : `active, ${consecutive_failures} failures in a row`
}

const upTo = (count: number): string => (count < countMax ? String(count) : `${countMax} or more`)

const missedOf = ({ missed, expired, catching_up_of }: HookReport): string =>
  [
    `${missed} missed`,
    expired > 0 && `${expired} expired`,
    catching_up_of > 0 && `catching up with ${catching_up_of}`,
  ]
    .filter(Boolean)
    .join(', ')

// The address may hold a token in its path; the host is enough to know it by.
const lineOf = (hook: HookReport): string =>
  [
    hook.id,
    stateOf(hook),
    new URL(hook.target_url).host,
    hook.event_types.join(','),
    `delivered ${hook.delivered_at ?? 'never'}`,
    `${upTo(hook.failures)} failed`,
    `${upTo(hook.waiting)} waiting`,
    missedOf(hook),
    hook.catch_up_cursor === null ? 'nothing missing' : `catch up after=${hook.catch_up_cursor}`,
    printable(hook.label ?? ''),
  ].join('  ')

async function list(database: Database, args: string[]) {
  readArguments(args, [])
  for (const hook of await listHookReports(database)) write(lineOf(hook))
}

function readHookId(name: string, positionals: string[]): string {
  const [id = ''] = positionals
  if (!uuidForm.test(id)) throw new UsageError(`hooks ${name} takes the id of a subscription.`)
  return id
}

const writeMissed = (count: number, done: string) =>
  write(count === 1 ? `1 missed delivery is ${done}` : `${count} missed deliveries are ${done}`)

async function reactivate(database: Database, args: string[]) {
  const { positionals, flags } = readArguments(args, [], 1, ['deliver-missed'])
  const id = readHookId('reactivate', positionals)
  const deliverMissed = flags.includes('deliver-missed')
  if (!(await reactivateHook(database, id, { deliverMissed })))
    throw new Error('No paused subscription has this id.')
  write(`reactivated ${id}`)
  const report = deliverMissed && (await getHookReport(database, id))
  if (report) writeMissed(report.waiting + report.catching_up_of, 'on the way')
}

async function deliver(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const count = await deliverMissed(database, readHookId('deliver-missed', positionals))
  if (count === null) throw new Error('No active subscription has this id.')
  writeMissed(count, 'on the way')
}

async function dismiss(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const count = await dismissMissed(database, readHookId('dismiss', positionals))
  if (count === null) throw new Error('No subscription has this id.')
  writeMissed(count, 'dismissed')
}

async function test(database: Database, args: string[]) {
  const { options, positionals } = readArguments(args, ['type'], 1)
  const id = readHookId('test', positionals)
  const type = options.type === undefined ? null : readEventType(options.type)
  const sent = await sendTestEvent(database, id, type)
  if (sent === null)
    throw new Error('No active subscription has this id, or it does not list the type.')
  write(`test event on its way as ${sent}`)
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
  if (secret === null) throw new Error('No subscription has this id.')
  write(secret)
}

async function switchToNew(database: Database, args: string[]) {
  const { positionals } = readArguments(args, [], 1)
  const id = readHookId('switch', positionals)
  if (!(await switchSecret(database, id)))
    throw new Error('No subscription of this id has an old secret that leads.')
  write(`the new secret of ${id} leads`)
}

const deliveriesShown = 50

async function deliveries(database: Database, args: string[]) {
  const { options, positionals } = readArguments(args, ['state'], 1)
  const subscription_id = readHookId('deliveries', positionals)
  const state = deliveryStates.find(one => one === (options.state ?? 'failed'))
  if (!state) throw new UsageError(`--state takes one of ${deliveryStates.join(', ')}.`)
  const page = { subscription_id, state, before: null, limit: deliveriesShown }
  const report = await getHookReport(database, subscription_id)
  if (!report) throw new Error('No subscription has this id.')
  for (const found of await listDeliveries(database, page))
    write(
      [
        found.cursor,
        state,
        found.event_type,
        found.event_id ?? 'erased',
        `${found.attempts} attempts`,
        found.ended_at ?? found.due_at ?? found.created_at,
      ].join('  '),
    )
  if (state === 'pending' && report.untried)
    write(`waiting for their turn: ${upTo(report.untried)}, from cursor ${report.next_cursor} on`)
}

async function sendAgain(database: Database, args: string[]) {
  // The cursor of a test event begins with a minus, as options do.
  const { positionals } = readArguments(['--', ...args], [], 2)
  const id = readHookId('redeliver', positionals)
  const [, cursor = ''] = positionals
  if (!cursorForm.test(cursor))
    throw new UsageError('hooks redeliver takes a subscription and the cursor of an event.')
  if (!(await redeliver(database, id, Number(cursor))))
    throw new Error(
      'It is being sent, its event is gone, or the subscription is paused or does not get this event.',
    )
  write(`${cursor} is on its way again`)
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
  dismiss,
  test,
  rotate,
  switch: switchToNew,
  deliveries,
  redeliver: sendAgain,
  'notice-secret': showNoticeSecret,
}

export async function hooks(config: Config, [name = '', ...args]: string[]): Promise<void> {
  if (name === 'trigger') return await trigger(config, args)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action)
    throw new UsageError(`hooks takes one of ${[...Object.keys(actions), 'trigger'].join(', ')}.`)
  await withDatabase(config, ({ database }) => action(database, args, config))
}
