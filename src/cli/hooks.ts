// hooks list | deliveries | test | pause | reactivate | replay | redeliver | dismiss | rotate | switch.
import { readFileSync } from 'node:fs'
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { finalFailuresMax } from '../model/delivery_rules.ts'
import { targetHost } from '../model/target_url.ts'
import { uuidForm } from '../model/uuid.ts'
import { openLog } from '../observability/log.ts'
import {
  countMax,
  type DeliveryState,
  deliveryStates,
  dismissFailures,
  getHookReport,
  type HookReport,
  type ListedDelivery,
  listDeliveries,
  listHookReports,
  type Redelivered,
  redeliver,
  redeliverFailed,
  redeliverRefusals,
} from '../operations/deliveries.ts'
import {
  pauseHook,
  reactivateHook,
  replayHook,
  rotateSecret,
  sendTestEvent,
  switchSecret,
} from '../operations/hooks.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import { openSender } from '../sending/sender.ts'
import { openSigner } from '../sending/signature.ts'
import { type Command, type GivenArguments, onDatabase, readCursor, readMoment } from './command.ts'
import { columns, printable, progress, UsageError, write } from './output.ts'

const unknown = 'No subscription has this id.'

function idOf({ places: [id = ''] }: GivenArguments): string {
  if (!uuidForm.test(id)) throw new UsageError('ID is the id of a subscription, a UUID.')
  return id
}

const counted = (count: number, what: string): string =>
  `${count < countMax ? count : `${countMax} or more`} ${what}`

function stateOf({ paused_at, pause_reason, consecutive_failures: failures }: HookReport): string {
  if (paused_at && pause_reason === null)
    return `paused ${paused_at}, ${finalFailuresMax} final failures in a row`
  if (paused_at)
    return `paused ${paused_at}, by the owner${pause_reason && `: ${printable(pause_reason)}`}`
  return failures === 0 ? 'active' : `active, ${failures} final failures in a row`
}

function secretsOf({ old_secret_until, old_secret_leads }: HookReport): string {
  if (old_secret_until === null || Date.parse(old_secret_until) <= Date.now()) return 'one secret'
  return `two secrets until ${old_secret_until}, the ${old_secret_leads ? 'old' : 'new'} one leads`
}

const hookColumns = columns(
  'id',
  'state',
  'host',
  'event types',
  'position',
  'behind',
  'waiting',
  'failed',
  'missed',
  'secrets',
  'label',
)

const hookLine = (hook: HookReport): string =>
  columns(
    hook.id,
    stateOf(hook),
    targetHost(hook.target_url) ?? 'no address',
    hook.event_types.join(','),
    `position ${hook.cursor}`,
    counted(hook.behind, 'behind'),
    counted(hook.waiting, 'waiting'),
    counted(hook.failed, 'failed'),
    hook.missed_to === null ? 'none missed' : `missed ${hook.missed_from} to ${hook.missed_to}`,
    secretsOf(hook),
    printable(hook.label ?? ''),
  )

const list = onDatabase(
  'hooks list',
  'lists the webhook subscriptions and their state',
  () => async database => {
    const hooks = await listHookReports(database)
    progress(hooks.length === 0 ? 'There are no subscriptions.' : hookColumns)
    for (const hook of hooks) write(hookLine(hook))
  },
)

const deliveryColumns = columns(
  'cursor',
  'state',
  'event type',
  'event id',
  'attempts',
  'last answer',
  'due or tried',
)

const deliveryLine = (state: DeliveryState, one: ListedDelivery): string =>
  columns(
    one.cursor,
    state,
    one.event_type ?? 'expired',
    one.event_id ?? 'erased',
    `${one.attempts} attempt${one.attempts === 1 ? '' : 's'}`,
    one.status ?? one.error_class ?? 'none',
    one.due_at ?? one.tried_at ?? '',
  )

const deliveriesShown = 50

const deliveries = onDatabase(
  'hooks deliveries ID [--state S]',
  `lists its ${deliveriesShown} newest deliveries of each state, or of one: ${deliveryStates.join(', ')}`,
  given => {
    const [id, { state }] = [idOf(given), given.options]
    const states = deliveryStates.filter(one => state === undefined || state === one)
    if (states.length === 0)
      throw new UsageError(`--state takes one of ${deliveryStates.join(', ')}.`)
    return async database => {
      const report = await getHookReport(database, id)
      if (!report) throw new Error(unknown)
      progress(deliveryColumns)
      for (const one of states) {
        const page = { subscriptionId: id, state: one, before: null, limit: deliveriesShown }
        for (const found of await listDeliveries(database, page)) write(deliveryLine(one, found))
      }
      if (report.behind > 0)
        progress(`${counted(report.behind, 'not sent yet')}, after cursor ${report.cursor}`)
    }
  },
)

/** The keys the service has: one made here and now would make secrets that it cannot open. */
async function secretsKeys(database: Database, config: Config): Promise<Buffer[]> {
  const keys = await openSecretsKeys(config, database, openLog('silent'))
  if (keys.length > 0) return keys
  throw new UsageError('SECRETS_KEY must be set: no key can be kept in DATA_DIR.')
}

const test = onDatabase(
  'hooks test ID [--type T]',
  'sends it a test event, also while it is paused, and prints the answer',
  (given, config) => {
    const id = idOf(given)
    return async database => {
      const sender = openSender({
        allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
        ca: config.WEBHOOK_CA_FILE && readFileSync(config.WEBHOOK_CA_FILE, 'utf8'),
      })
      try {
        const signer = openSigner(await secretsKeys(database, config))
        const sending = { database, sender, signer }
        const reply = await sendTestEvent(sending, id, given.options.type ?? null)
        if (!reply) throw new Error(unknown)
        const answer = `${reply.status ?? reply.errorClass} in ${reply.durationMs} ms`
        const excerpt = reply.excerpt === null ? '' : `: ${printable(reply.excerpt.trim())}`
        if (reply.errorClass !== null)
          throw new Error(`The test event was not accepted: ${answer}${excerpt}`)
        write(`test event accepted: ${answer}`)
      } finally {
        sender.close()
      }
    }
  },
)

const pause = onDatabase(
  'hooks pause ID [--reason TEXT]',
  'sends it nothing more; its position stays',
  given => {
    const id = idOf(given)
    return async database => {
      if (!(await pauseHook(database, id, given.options.reason ?? ''))) throw new Error(unknown)
      write(`paused ${id}`)
    }
  },
)

const reactivate = onDatabase(
  'hooks reactivate ID [--from-head]',
  'lets a paused one receive again, with all that came since, or from the head of the feed on',
  given => {
    const id = idOf(given)
    const fromHead = given.flags['from-head'] === true
    return async database => {
      const done = await reactivateHook(database, id, { fromHead })
      if (!done)
        throw new Error(
          (await getHookReport(database, id)) ? 'This subscription is active already.' : unknown,
        )
      write(`reactivated ${id}`)
      if (fromHead) write(`GET /events?after=${done.gapAfter} has what it is not sent`)
    }
  },
)

const replay = onDatabase(
  'hooks replay ID (--since MOMENT | --after CURSOR)',
  'sends everything since a moment, or after a cursor, again',
  given => {
    const [id, { since, after }] = [idOf(given), given.options]
    const start = {
      ...(since !== undefined && { since: readMoment(since, 'since') }),
      ...(after !== undefined && { after: readCursor(after, 'after') }),
    }
    if (Object.keys(start).length !== 1)
      throw new UsageError('hooks replay takes --since or --after.')
    return async database => {
      const replayed = await replayHook(database, id, start)
      write(
        `everything after cursor ${replayed.after} is sent again; it had reached ${replayed.reached}`,
      )
    }
  },
)

function writeSentAgain(all: readonly Redelivered[]) {
  const sent = all.filter(({ state }) => state === 'sent')
  write(`${sent.length} of ${all.length} sent again`)
  for (const { cursor, state } of all)
    if (state !== 'sent') progress(`${cursor}: ${redeliverRefusals[state]}`)
  if (sent.length < all.length) throw new Error('Not all were sent again.')
}

const sendAgain = onDatabase(
  'hooks redeliver ID (--failed | --cursor N)',
  'sends one delivery again, or up to 1,000 that failed, the oldest first',
  given => {
    const [id, { cursor }, { failed }] = [idOf(given), given.options, given.flags]
    if ((cursor === undefined) !== (failed === true))
      throw new UsageError('hooks redeliver takes --failed or --cursor.')
    const cursors = cursor === undefined ? [] : [readCursor(cursor, 'cursor')]
    return async database => {
      if (!(await getHookReport(database, id))) throw new Error(unknown)
      writeSentAgain(
        failed ? await redeliverFailed(database, id) : await redeliver(database, id, cursors),
      )
    }
  },
)

const dismiss = onDatabase(
  'hooks dismiss ID',
  'forgets what failed, and what expired before it was sent',
  given => {
    const id = idOf(given)
    return async database => {
      const count = await dismissFailures(database, id)
      if (count === null) throw new Error(unknown)
      write(`${count} dismissed`)
    }
  },
)

const rotate = onDatabase(
  'hooks rotate ID [--again]',
  'makes a new signing secret and prints it, once; both sign for 24 hours. While an old one leads, only --again makes another',
  (given, config) => {
    const id = idOf(given)
    return async database => {
      const keys = await secretsKeys(database, config)
      const secret = await rotateSecret(database, id, keys, given.flags.again === true)
      if (secret !== null) return write(secret)
      const report = await getHookReport(database, id)
      if (!report) throw new Error(unknown)
      // A receiver that still verifies with the old one would be locked out.
      throw new Error(
        `A rotation is under way until ${report.old_secret_until}: hooks switch ${id} lets its new secret lead. With --again another secret is made, and the one that leads now stops signing at once.`,
      )
    }
  },
)

const switchToNew = onDatabase(
  'hooks switch ID',
  'lets the new secret lead before 24 hours are over',
  given => {
    const id = idOf(given)
    return async database => {
      if (!(await switchSecret(database, id)))
        throw new Error('No subscription of this id has an old secret that leads.')
      write(`the new secret of ${id} leads`)
    }
  },
)

export const hookCommands: Command[] = [
  ...[list, deliveries, test, pause, reactivate, replay, sendAgain, dismiss, rotate, switchToNew],
]
