// One key's burst does not keep other keys waiting until all of it is done.
import { expect, test } from 'bun:test'
import { oneConnection } from '../support/database/database.ts'
import { bearer, useService } from '../support/http/service.ts'

const api = useService({ DATABASE_POOL_MAX: '1' })

const burst = 60

const asks = {
  REST: (key: string) => fetch(`${api.base}/leads?limit=1`, bearer(key)),
  tools: (key: string) =>
    fetch(new URL('/mcp', api.base), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_leads', arguments: { query: 'beispiel' } },
      }),
    }),
}

test.each(Object.keys(asks) as (keyof typeof asks)[])(
  'behind a burst of one key another key is answered early, by %s',
  async way => {
    const [many, one] = [await api.makeKey('read:leads'), await api.makeKey('read:leads')]
    const answered: string[] = []
    const ask = async (key: string) => {
      const { status } = await asks[way](key)
      answered.push(key)
      return status
    }
    const locker = oneConnection(api.url)
    await locker`begin`
    await locker`lock table leads in access exclusive mode`
    const asked = Array.from({ length: burst }, () => ask(many))
    // All of it is there before the other one comes.
    await Bun.sleep(300)
    const other = ask(one)
    await Bun.sleep(100)
    await locker`rollback`
    await locker.end()
    expect(new Set([await other, ...(await Promise.all(asked))])).toEqual(new Set([200]))
    expect(answered.indexOf(one)).toBeLessThan(burst / 2)
  },
)
