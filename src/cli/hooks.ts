// hooks list | reactivate | deliver-missed | dismiss | test | rotate | switch | deliveries | redeliver | trigger.
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
import { getHookReport, listHookReports } from '../operations/overview.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import { readArguments } from './arguments.ts'
import { withReadyDatabase } from './database.ts'
import { deliveryColumns, deliveryLine, hookColumns, hookLine, upTo } from './hook_lines.ts'
import { progress, UsageError, write } from './output.ts'
import { readEventType } from './sample_event.ts'
import { trigger } from './trigger.ts'

/** Reads its arguments before the database is opened: a mistake in them is one whether there is a database or not. */
type Action = (args: string[], config: Config) => (database: Database) => Promise<void>

const list: Action = args => {
  readArguments(args, [])
  return async database => {
    const hooks = await listHookReports(database)
    progress(hooks.length === 0 ? 'There are no subscriptions.' : hookColumns)
    for (const hook of hooks) write(hookLine(hook))
  }
}

function readHookId(name: string, positionals: string[]): string {
  const [id = ''] = positionals
  if (!uuidForm.test(id)) throw new UsageError(`hooks ${name} takes the id of a subscription.`)
  return id
}

/** For the actions that take an id and nothing else. */
const readIdAlone = (name: string, args: string[]): string =>
  readHookId(name, readArguments(args, [], 1).positionals)

const writeMissed = (count: number, done: string) =>
  write(count === 1 ? `1 missed delivery is ${done}` : `${count} missed deliveries are ${done}`)

/** Throws why an action found nothing to do; `active`: what it is at one that is not paused. */
async function refuse(
  database: Database,
  id: string,
  active: (types: string) => string,
): Promise<never> {
  const report = await getHookReport(database, id)
  if (!report) throw new Error('No subscription has this id.')
  const paused = `This subscription is paused: run "hooks reactivate ${id}" first.`
  throw new Error(report.paused_at === null ? active(report.event_types.join(', ')) : paused)
}

const reactivate: Action = args => {
  const { positionals, flags } = readArguments(args, [], 1, ['deliver-missed'])
  const id = readHookId('reactivate', positionals)
  const deliverMissed = flags.includes('deliver-missed')
  return async database => {
    if (!(await reactivateHook(database, id, { deliverMissed })))
      await refuse(
        database,
        id,
        () =>
          `This subscription is active already: run "hooks deliver-missed ${id}" to send what it missed.`,
      )
    write(`reactivated ${id}`)
    const report = await getHookReport(database, id)
    if (report && deliverMissed) writeMissed(report.waiting + report.catching_up_of, 'on the way')
    else if (report && report.missed + report.failures > 0)
      progress(
        `What was missed or has failed is kept: run "hooks deliver-missed ${id}" to send it.`,
      )
  }
}

const deliver: Action = args => {
  const id = readIdAlone('deliver-missed', args)
  return async database => {
    const count = await deliverMissed(database, id)
    if (count === null) return await refuse(database, id, () => 'Nothing was missed.')
    writeMissed(count, 'on the way')
  }
}

const dismiss: Action = args => {
  const id = readIdAlone('dismiss', args)
  return async database => {
    const count = await dismissMissed(database, id)
    if (count === null) throw new Error('No subscription has this id.')
    writeMissed(count, 'dismissed')
    const { paused_at, untried } = (await getHookReport(database, id)) ?? {}
    if (paused_at && untried)
      write(`${upTo(untried)} that came since it was paused: kept until it is reactivated`)
  }
}

const test: Action = args => {
  const { options, positionals } = readArguments(args, ['type'], 1)
  const id = readHookId('test', positionals)
  const type = options.type === undefined ? null : readEventType(options.type)
  return async database => {
    const sent = await sendTestEvent(database, id, type)
    if (sent === null)
      return await refuse(
        database,
        id,
        types => `This subscription does not list the type; it lists ${types}.`,
      )
    write(`test event on its way as ${sent}`)
  }
}

/** The keys the service has: one made here and now would make secrets that it cannot open. */
async function secretsKeys(database: Database, config: Config): Promise<Buffer[]> {
  const keys = await openSecretsKeys(config, database, openLog('silent'))
  if (keys.length === 0)
    throw new UsageError('SECRETS_KEY must be set: no key can be kept in DATA_DIR.')
  return keys
}

/** Throws why a secret was not rotated: a receiver that still verifies with the old one would be locked out. */
async function refuseRotation(database: Database, id: string): Promise<never> {
  const report = await getHookReport(database, id)
  if (!report) throw new Error('No subscription has this id.')
  throw new Error(
    `A rotation is under way until ${report.old_secret_until}: hooks switch ${id} lets its new secret lead. With --again another secret is made, and the one that leads now stops signing at once.`,
  )
}

const rotate: Action = (args, config) => {
  const { positionals, flags } = readArguments(args, [], 1, ['again'])
  const id = readHookId('rotate', positionals)
  return async database => {
    const keys = await secretsKeys(database, config)
    const secret = await rotateSecret(database, id, keys, flags.includes('again'))
    write(secret ?? (await refuseRotation(database, id)))
  }
}

const switchToNew: Action = args => {
  const id = readIdAlone('switch', args)
  return async database => {
    if (!(await switchSecret(database, id)))
      throw new Error('No subscription of this id has an old secret that leads.')
    write(`the new secret of ${id} leads`)
  }
}

const deliveriesShown = 50

const deliveries: Action = args => {
  const { options, positionals } = readArguments(args, ['state'], 1)
  const subscription_id = readHookId('deliveries', positionals)
  const state = deliveryStates.find(one => one === (options.state ?? 'failed'))
  if (!state) throw new UsageError(`--state takes one of ${deliveryStates.join(', ')}.`)
  const page = { subscription_id, state, before: null, limit: deliveriesShown }
  return async database => {
    const report = await getHookReport(database, subscription_id)
    if (!report) throw new Error('No subscription has this id.')
    const found = await listDeliveries(database, page)
    if (found.length > 0) progress(deliveryColumns)
    for (const delivery of found) write(deliveryLine(delivery))
    if (state === 'pending' && report.untried)
      write(`not tried yet: ${upTo(report.untried)}, from cursor ${report.next_cursor} on`)
  }
}

const sendAgain: Action = args => {
  // The cursor of a test event begins with a minus, as options do.
  const { positionals } = readArguments(['--', ...args], [], 2)
  const id = readHookId('redeliver', positionals)
  const [, cursor = ''] = positionals
  if (!cursorForm.test(cursor))
    throw new UsageError('hooks redeliver takes a subscription and the cursor of an event.')
  return async database => {
    if (!(await redeliver(database, id, Number(cursor))))
      throw new Error(
        'It is being sent, its event is gone, or the subscription is paused or does not get this event.',
      )
    write(`${cursor} is on its way again`)
  }
}

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
}

export async function hooks(config: Config, [name = '', ...args]: string[]): Promise<void> {
  if (name === 'trigger') return await trigger(config, args)
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined
  if (!action)
    throw new UsageError(`hooks takes one of ${[...Object.keys(actions), 'trigger'].join(', ')}.`)
  const work = action(args, config)
  await withReadyDatabase(config, ({ database }) => work(database))
}
