// What the worker hears from other processes and from writers.
import { randomInt } from 'node:crypto'
import { connect, type PoolOptions } from '../db/connect.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { type Listener, openListener, requireSameDatabase } from '../db/listen.ts'
import type { Queries } from '../db/queries.ts'
import type { Deliverer } from '../delivery/deliverer.ts'
import type { Notices } from '../delivery/notices.ts'
import type { Sequencer } from '../feed/sequencer.ts'
import type { Log } from '../observability/log.ts'

type Notified = {
  pool: PoolOptions
  url: string
  database: Database
  queries: Queries
  log: Log
  sequencer: Sequencer
  deliverer: Deliverer
  notices: Notices
}

/** Passes on what other processes and writers notify. Its session holds the lock by which they see that this one lives. */
export function listenForNotifications(parts: Notified): Listener & { isDeaf(): boolean } {
  const { pool, url, database, queries, log, sequencer, deliverer, notices } = parts
  let deaf = true
  const listener = openListener({
    channels: ['event_emitted', 'hooks_changed', 'events_erased', 'notice_added'],
    open: events => connect({ ...pool, url, connectionsMax: 1, ...events }),
    onNotify(channel) {
      if (channel === 'event_emitted') sequencer.wake()
      else if (channel === 'hooks_changed') deliverer.refresh()
      else if (channel === 'events_erased') deliverer.forgetEvents()
      else notices.wake()
    },
    async onSession(sql) {
      const session = openDatabase(sql, queries)
      await requireSameDatabase(session, database)
      // Another session may hold the very same lock: then the lease alone decides.
      const lock_key = randomInt(1, 2 ** 31 - 1)
      const [lock] = await session.rows('claimWorkerLock', { lock_key })
      deliverer.setLockKey(lock?.locked ? lock_key : null)
    },
    onEstablished() {
      log.listenerEstablished('worker')
      deaf = false
      // It may have missed an erasure.
      deliverer.forgetEvents()
      sequencer.wake()
      deliverer.refresh()
    },
    onLost(reason) {
      log.listenerLost('worker', reason)
      deaf = true
      deliverer.setLockKey(null)
    },
  })
  return { ...listener, isDeaf: () => deaf }
}
