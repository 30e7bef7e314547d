// hooks …: what an operator does about webhook subscriptions where the dashboard is off.
import { type Config, webhookCa } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { pauseReasonLengthMax } from '../model/hook.ts'
import { targetHost } from '../model/target_url.ts'
import { uuidForm } from '../model/uuid.ts'
import { openLog } from '../observability/log.ts'
import * as deliveries from '../operations/deliveries.ts'
import * as hooks from '../operations/hooks.ts'
import { openSecretsKeys } from '../secrets/secrets_key.ts'
import {
  type Command,
  type Given,
  printable,
  progress,
  readCursor,
  readMoment,
  UsageError,
  write,
  writeJson,
} from './command.ts'
import { withDatabase } from './database.ts'

type Work = (database: Database, id: string, given: Given, config: Config) => Promise<void>

/** A command on one subscription. */
const hook = (line: string, does: string, work: Work): Command => ({
  line: `hooks ${line}`,
  does,
  async run(given, config) {
    const [id = ''] = given.places
    if (!uuidForm.test(id)) throw new UsageError('ID is the id of a subscription, a UUID.')
    await withDatabase(config, ({ database }) => work(database, id, given, config))
  },
})

/** What is there; throws where no subscription has the id. */
function found<Value>(value: Value | null | false): Value {
  if (value === null || value === false) throw new Error('No subscription has this id.')
  return value
}

/** Its host instead of its whole address, whose path may hold a secret of the receiver's. */
const shown = ({ target_url, excerpt, ...report }: deliveries.HookReport) => ({
  ...report,
  host: targetHost(target_url),
})

const deliveriesShown = 50

const showDeliveries: Work = async (database, id, { options: { state } }) => {
  const states = deliveries.deliveryStates.filter(name => (state ?? name) === name)
  if (states.length === 0)
    throw new UsageError(`--state takes one of ${deliveries.deliveryStates.join(', ')}.`)
  const { behind, cursor } = found(await deliveries.getHookReport(database, id))
  const page = { subscription_id: id, before: null, row_limit: deliveriesShown }
  for (const one of states) {
    const rows = await deliveries.listDeliveries(database, { ...page, state: one })
    for (const delivery of rows) writeJson({ state: one, ...delivery })
  }
  if (behind > 0) progress(`not sent yet, after cursor ${cursor}: ${behind}`)
}

/** The keys that the service has: one made here and now would make secrets that it cannot open. */
async function secretsKeys(database: Database, config: Config): Promise<Buffer[]> {
  const keys = await openSecretsKeys(config, database, openLog('silent'))
  if (keys.length > 0) return keys
  throw new UsageError('SECRETS_KEY must be set: no key can be kept in DATA_DIR.')
}

const sendTest: Work = async (database, id, { options }, config) => {
  const settings = {
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    ca: webhookCa(config),
    secretsKeys: await secretsKeys(database, config),
  }
  const reply = found(await hooks.sendTestEvent(database, settings, id, options.type))
  const answer = `${reply.status ?? reply.errorClass} in ${reply.durationMs} ms`
  if (reply.errorClass === null) return write(`test event accepted: ${answer}`)
  const excerpt = reply.excerpt === null ? '' : `: ${printable(reply.excerpt.trim())}`
  throw new Error(`The test event was not accepted: ${answer}${excerpt}`)
}

const reactivate: Work = async (database, id, { flags }) => {
  found(await deliveries.getHookReport(database, id))
  const fromHead = flags['from-head'] === true
  const done = await hooks.reactivateHook(database, id, { fromHead })
  if (done === null) throw new Error('This subscription is active already.')
  write(`reactivated ${id}`)
  if (fromHead) write(`GET /events?after=${done.gapAfter} has what it is not sent`)
}

const sendAgain: Work = async (database, id, { options: { cursor: given }, flags }) => {
  if ((given === undefined) !== (flags.failed === true))
    throw new UsageError('hooks redeliver takes --failed or --cursor.')
  found(await deliveries.getHookReport(database, id))
  const wanted = given === undefined ? null : readCursor(given, 'cursor')
  const all = await deliveries.redeliver(database, id, wanted)
  const sent = all.filter(({ state }) => state === 'sent').length
  write(`${sent} of ${all.length} sent again`)
  for (const { cursor, state } of all)
    if (state !== 'sent') progress(`${cursor}: ${deliveries.redeliverRefusals[state]}`)
  if (sent < all.length) throw new Error('Not all were sent again.')
}

const rotate: Work = async (database, id, { flags }, config) => {
  const report = found(await deliveries.getHookReport(database, id))
  const keys = await secretsKeys(database, config)
  const secret = await hooks.rotateSecret(database, id, keys, flags.again === true)
  if (secret !== null) return write(secret)
  // A receiver that still verifies with the old one would be locked out.
  throw new Error(
    `A rotation is under way until ${report.old_secret_until}: hooks switch ${id} lets its new secret lead. With --again another secret is made, and the one that leads now stops signing at once.`,
  )
}

export const hookCommands: Command[] = [
  {
    line: 'hooks list',
    does: 'lists the webhook subscriptions and their state',
    run: (_given, config) =>
      withDatabase(config, async ({ database }) => {
        const reports = await deliveries.listHookReports(database)
        if (reports.length === 0) progress('There are no subscriptions.')
        for (const report of reports) writeJson(shown(report))
      }),
  },
  hook(
    'deliveries ID [--state S]',
    `lists its ${deliveriesShown} newest deliveries of each state, or of one: ${deliveries.deliveryStates.join(', ')}`,
    showDeliveries,
  ),
  hook(
    'test ID [--type T]',
    'sends it a test event, also while it is paused, and prints the answer',
    sendTest,
  ),
  hook(
    'pause ID [--reason TEXT]',
    'sends it nothing more; its position stays',
    async (database, id, { options: { reason = '' } }) => {
      if ([...reason].length > pauseReasonLengthMax)
        throw new UsageError(`--reason takes at most ${pauseReasonLengthMax} characters.`)
      found(await hooks.pauseHook(database, id, reason))
      write(`paused ${id}`)
    },
  ),
  hook(
    'reactivate ID [--from-head]',
    'lets a paused one receive again, with all that came since, or from the head of the feed on',
    reactivate,
  ),
  hook(
    'replay ID (--since MOMENT | --after CURSOR)',
    'sends everything since a moment, or after a cursor, again',
    async (database, id, { options: { since, after } }) => {
      if ((since === undefined) === (after === undefined))
        throw new UsageError('hooks replay takes --since or --after.')
      const start = {
        ...(since !== undefined && { since: readMoment(since, 'since') }),
        ...(after !== undefined && { after: readCursor(after, 'after') }),
      }
      const replayed = await hooks.replayHook(database, id, start)
      write(
        `everything after cursor ${replayed.after} is sent again; it had reached ${replayed.reached}`,
      )
    },
  ),
  hook(
    'redeliver ID (--failed | --cursor N)',
    'sends one delivery again, or up to 1,000 that failed, the oldest first',
    sendAgain,
  ),
  hook(
    'dismiss ID',
    'forgets what failed up to its position, and what expired before it was sent',
    async (database, id) =>
      write(`${found(await deliveries.dismissFailures(database, id))} dismissed`),
  ),
  hook(
    'rotate ID [--again]',
    'makes a new signing secret and prints it, once; both sign for 24 hours. While an old one leads, only --again makes another',
    rotate,
  ),
  hook('switch ID', 'lets the new secret lead before 24 hours are over', async (database, id) => {
    if (!(await hooks.switchSecret(database, id)))
      throw new Error('No subscription of this id has an old secret that leads.')
    write(`the new secret of ${id} leads`)
  }),
]
