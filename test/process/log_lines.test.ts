// Every line of the log arrives, in the order in which it was written, whichever way it was and however it ends.
import { expect, test } from 'bun:test'
import { join } from 'node:path'

const log = join(import.meta.dir, '../../src/observability/log.ts')

/** A program that writes both kinds of lines: those there are thousands of a second, and all others. */
const program = (total: number, ending: string) => `
  import { openLog } from ${JSON.stringify(log)}
  const log = openLog('debug')
  const attempt = { subscription_id: 's', event_id: 'e', attempt: 1, outcome: 'delivered', duration_ms: 1, trace_id: 't', span_id: 'p' }
  for (let number = 1; number <= ${total}; number += 1)
    if (number % 10 === 0) log.event('hook_paused', { subscription_id: number + ' ' + 'ü'.repeat(200) })
    else log.event('attempt', { ...attempt, cursor: number })
  ${ending}`

const killed = 'process.kill(process.pid, "SIGKILL")'

// Fewer than are passed on at once: what is on its way at an exit cannot be waited for.
const cases: [name: string, total: number, ending: string][] = [
  ['exits with a few that were held', 15, 'process.exit(0)'],
  ['ends by itself', 2_000, ''],
  ['has flushed, and is killed', 2_000, `await log.flush(); ${killed}`],
  ['has waited, and is killed', 2_000, `await Bun.sleep(2_000); ${killed}`],
]

for (const [name, total, ending] of cases)
  test.concurrent(`of a process that ${name}`, async () => {
    const child = Bun.spawn([process.execPath, '-e', program(total, ending)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const text = await new Response(child.stdout).text()
    const numbers = text
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
      // The sum of a second comes at its end.
      .filter(({ event }) => event !== 'attempts')
      .map(({ cursor, subscription_id }) => Number.parseInt(cursor ?? subscription_id, 10))
    expect(numbers).toEqual(Array.from({ length: total }, (_, place) => place + 1))
  })
