// A scrape while the database is away or silent: answered in time, without its numbers, and with them when it is back.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { countProcess } from '../../src/observability/metrics/count.ts'
import { serveMetrics } from '../../src/observability/metrics/scrape.ts'
import { useDatabase } from '../support/database/database.ts'
import { openTcpProxy, type TcpProxy } from '../support/database/tcp_proxy.ts'
import { readExposition } from '../support/http/exposition.ts'
import { until } from '../support/until.ts'

const database = useDatabase()
let proxy: TcpProxy
let running: Awaited<ReturnType<typeof serveMetrics>>

beforeAll(async () => {
  proxy = await openTcpProxy(database.url)
  const own = countProcess(openLog('silent'))
  const numbers = async () => [await own.getMetricsAsJSON()]
  const options = { host: '127.0.0.1', port: 0, url: proxy.url, sqlDir: undefined, numbers }
  running = await serveMetrics(options)
})
afterAll(async () => {
  await running.stop()
  proxy.close()
})

async function scrape() {
  const response = await fetch(`http://127.0.0.1:${running.port}/metrics`)
  return readExposition(await response.text()).values
}

const isUp = async () => (await scrape()).wda_database_up === 1

test('away or silent, the process answers for itself, within the timeout of a scrape', async () => {
  await until(isUp)
  for (const leave of [proxy.away, proxy.silent]) {
    leave()
    // What was answered a moment ago is answered again for a second.
    await until(async () => !(await isUp()))
    const values = await scrape()
    expect(values.wda_feed_head).toBeUndefined()
    expect(values.process_resident_memory_bytes).toBeGreaterThan(1_000_000)
    await proxy.back()
    await until(isUp, 15_000)
    expect((await scrape()).wda_feed_head).toBe(0)
  }
}, 40_000)
