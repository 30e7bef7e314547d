// What the sequencer does about a feed that was changed by hand or restored in part: it makes partitions, which is always
// right, and names the command for the rest, which is the owner's to decide.
import type { Database } from '../db/database.ts'
import { errorCodeOf } from '../lib/error_code.ts'
import type { Log } from '../observability/log.ts'
import type { Look, UncheckedLook } from './log_floor.ts'

// A cursor or an event twice, no partition for a number, a number that is too large.
const reasons: Record<string, string> = {
  '23505': 'an event or a cursor would come a second time',
  '23514': 'no partition takes the next numbers',
  '22003': 'the next number is too large',
}

class MissingRow extends Error {}

/** Without the one row of feed or of feed_floor nothing is found, and nothing fails. Throws. */
export function checkRows(look: UncheckedLook): asserts look is Look {
  if (look.head === null) throw new MissingRow('the table feed has no row')
  if (look.floor_log_id === null) throw new MissingRow('the table feed_floor has no row')
}

type Reporting = { database: Database; log: Log }

/** After a failure of the sequencer, whatever it was: logs what is inconsistent and makes partitions. Never fails. */
export async function reportInconsistentFeed(
  { database, log }: Reporting,
  error: unknown,
): Promise<void> {
  const code = errorCodeOf(error)
  const reason = error instanceof MissingRow ? error.message : reasons[code ?? '']
  if (reason === undefined) return
  log.feedInconsistent(reason)
  // Which partitions come next is in the missing row.
  if (error instanceof MissingRow) return
  await database.rows('preparePartitions', {}).catch(failure => log.fault('sequencer', failure))
}

// More than a busy feed gets in a second, and read in milliseconds.
const depth = 20_000

/** Logs what makes events wait although nothing fails. */
export async function reportWaitingEvents({ database, log }: Reporting): Promise<void> {
  const [found] = await database.rows('getFeedFault', { depth })
  if (found?.reason) log.feedInconsistent(found.reason)
}
