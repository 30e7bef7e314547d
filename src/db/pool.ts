// A pool that replaces itself after it loses a connection. postgres.js 3.4.9 keeps the unsent bytes of a lost connection, and that
// slot never reconnects (docs/development/upstream.md). Statements on the old pool's other connections finish.
import { connect, type PoolOptions, type Sql } from './connect.ts'

// A statement in flight has this long to end before its old pool is gone.
const partingSeconds = 10

export type Pool = {
  sql: Sql
  /** Opens anew: for a server that has not answered for longer than any statement may take. */
  renew(): void
}

export function openPool(options: PoolOptions): Pool {
  let current: Sql | undefined
  let ended = false

  function open(): Sql {
    const opened = connect({
      ...options,
      onClose() {
        options.onClose?.()
        if (current === opened) renew()
      },
    })
    return opened
  }

  function renew() {
    const parting = current
    if (ended || parting === undefined) return
    current = undefined
    void parting.end({ timeout: partingSeconds }).catch(() => {})
  }

  const pool = (): Sql => {
    current ??= open()
    return current
  }

  async function end(parting?: { timeout?: number }) {
    ended = true
    // Also when there is none: a statement that comes later fails, and opens nothing.
    await pool().end(parting)
  }

  const sql = new Proxy((() => {}) as unknown as Sql, {
    apply: (_target, _this, args: Parameters<Sql>) => pool()(...args),
    get: (_target, name) => (name === 'end' ? end : Reflect.get(pool(), name)),
  })
  return { sql, renew }
}
