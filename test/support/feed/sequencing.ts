// Sequencing without a worker, and without deliveries.
import type { Sql } from '../../../src/db/connect.ts'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import type { FeedFollower } from '../../../src/feed/follower.ts'
import type { Look } from '../../../src/feed/log_floor.ts'
import { openBatchSequencer, startSequencer } from '../../../src/feed/sequencer.ts'
import { quietLog } from '../http/service.ts'

/** Wants nothing of what is sequenced. */
export const noFollower: FeedFollower = {
  wantedTypes: () => [],
  onSequenced() {},
  onHead() {},
}

/** One that looks when it is asked to. */
export const openTestSequencing = (sql: Sql, follower: FeedFollower = noFollower) =>
  openBatchSequencer({ database: openDatabase(sql, queries), follower }, 'test')

/** One that runs by itself. */
export const startTestSequencer = (database: Database, log = quietLog()) =>
  startSequencer({ database, log, follower: noFollower, processorShare: () => undefined })

/** Gives cursors to all that waits, and remembers how far the log is settled, as a sequencer does that has time. */
export async function sequenceAll(sql: Sql): Promise<Look> {
  const sequencing = openTestSequencing(sql)
  let look = await sequencing.look(true)
  for (let still = 0; still < 2; ) {
    look = await sequencing.look(true)
    still = look.sequenced === 0 && look.scanned_to === null ? still + 1 : 0
  }
  await sequencing.save()
  return look
}

/**
 * The same, as if no transaction of another database ran: a long one of any database puts off what is remembered. No
 * writer of this database may be at work.
 */
export async function sequenceSettled(sql: Sql): Promise<void> {
  await sequenceAll(sql)
  await sql`
    update feed_floor
    set log_id = coalesce((select max(events.log_id) from events), feed_floor.log_id), cursor = feed_state.head, late = '[]'
    from feed_state`
}

/** Whether every event that is committed has its cursor, as far as a sequencer has remembered how far that is so. */
export async function isSequenced(sql: Sql): Promise<boolean> {
  const rows = await sql`
    select from feed_settled
    cross join lateral unsequenced_events(feed_settled.log_id, feed_settled.cursor, 2147483647, 1)
    where log_ids = '{}'`
  return rows.length === 1
}
