// Sequencing without a worker, and without deliveries.
import type { Sql } from '../../../src/db/connect.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { queries } from '../../../src/db/queries.ts'
import type { FeedFollower } from '../../../src/feed/log_event.ts'
import type { Look } from '../../../src/feed/log_floor.ts'
import { openBatchSequencer } from '../../../src/feed/sequencer.ts'

/** Wants nothing of what is sequenced. */
export const noFollower: FeedFollower = {
  wantedTypes: () => [],
  onSequenced() {},
  onHead() {},
}

/** One that looks when it is asked to. */
export const openTestSequencing = (sql: Sql, follower: FeedFollower = noFollower) =>
  openBatchSequencer({ database: openDatabase(sql, queries), follower })

/** Gives cursors to all that waits, and stores the floor. */
export async function sequenceAll(sql: Sql): Promise<Look> {
  const sequencing = openTestSequencing(sql)
  let look = await sequencing.look()
  // The floor follows two looks later.
  for (let still = 0; still < 2; still = look.sequenced === 0 ? still + 1 : 0)
    look = await sequencing.look()
  await sequencing.save()
  return look
}

/** Whether every event that is committed has its cursor. */
export async function isSequenced(sql: Sql): Promise<boolean> {
  const [waiting] = await sql`select total from count_unsequenced(1)`
  return waiting?.total === 0
}
