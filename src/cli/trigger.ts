// hooks trigger TYPE: a test event, marked by the header webhook-test, to every active subscription that lists the type; or,
// without database and service, to a local address.
import type { Config } from '../config/settings.ts'
import { openForward } from '../listening/forward.ts'
import { sendTestEvent } from '../operations/deliveries.ts'
import { listHookReports } from '../operations/overview.ts'
import { readArguments } from './arguments.ts'
import { withReadyDatabase } from './database.ts'
import { lineOf, readForward, readSecret } from './listen.ts'
import { UsageError, write } from './output.ts'
import { type SampleEvent, sampleOf } from './sample_event.ts'

async function sendToAll(config: Config, { type }: SampleEvent) {
  await withReadyDatabase(config, async ({ database }) => {
    const hooks = await listHookReports(database)
    const cursors = await Promise.all(hooks.map(({ id }) => sendTestEvent(database, id, type)))
    const sent = hooks.flatMap(({ id }, at) => (cursors[at] == null ? [] : [[id, cursors[at]]]))
    if (sent.length === 0) throw new Error(`No active subscription lists ${type}.`)
    for (const [id, cursor] of sent) write(`test event on its way to ${id} as ${cursor}`)
  })
}

async function sendLocally({ type, id, body }: SampleEvent, target: string, given?: string) {
  const secret = readSecret(given)
  if (given === undefined) write(`signing secret  ${secret}`)
  const answered = await openForward(target, secret)(id, body, true)
  write(lineOf(type, 'example', answered))
  if (!('status' in answered) || answered.status < 200 || answered.status > 299)
    throw new Error('The receiver did not take it.')
}

export async function trigger(config: Config, args: string[]): Promise<void> {
  const { options, positionals } = readArguments(args, ['forward', 'secret'], 1)
  const sample = sampleOf(positionals[0] ?? '')
  if (options.forward === undefined) {
    if (options.secret !== undefined) throw new UsageError('--secret goes with --forward.')
    return await sendToAll(config, sample)
  }
  await sendLocally(sample, readForward(options.forward), options.secret)
}
