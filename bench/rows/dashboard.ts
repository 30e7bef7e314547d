// dashboard: how long the owner's pages take at as many leads as the large database has, the event of each, and ten receivers
// of every event.
import { randomBytes } from 'node:crypto'
import { progress } from '../../src/cli/output.ts'
import { fillOwnersSide, ownersPages, shownRows } from '../../test/support/browser/many_rows.ts'
import { secretsKey } from '../../test/support/http/settings.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { startServiceProcess } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, spread } from '../statistics.ts'
import { clearHooks } from '../subscriptions.ts'

const reach = { atMost: 100 }
const slowest = 'the slowest page'
const timesPerRound = 9
const receivers = 10

async function filled(bench: Bench): Promise<{ database: BenchDatabase; pages: string[] }> {
  const { small, large: leads } = bench.options.sizes
  const attempts = leads * receivers
  const database = await bench.database(small, `attempts_${attempts}`)
  const pages = await withSql(database.url, async sql => {
    const [found] = await sql`select 1 from hook_attempts
      where started_at > now() - interval '20 hours' limit 1`
    if (!found) {
      progress(`Making ${attempts.toLocaleString('en')} attempts; they are kept for later runs.`)
      await clearHooks(sql)
      await fillOwnersSide(sql, leads, receivers)
      await sql.unsafe('vacuum (analyze)')
    }
    return ownersPages(await shownRows(sql))
  })
  return { database, pages }
}

async function signIn(origin: string, password: string): Promise<string> {
  const { headers } = await fetch(`${origin}/dashboard/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ password }),
    headers: { origin },
    redirect: 'manual',
  })
  return headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function timeOf(url: string, cookie: string): Promise<number> {
  const startedAt = performance.now()
  const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
  await response.text()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return performance.now() - startedAt
}

export const dashboard: Row = {
  name: 'dashboard',
  measures: 'the owner’s pages, each with everything it shows',
  reaches: { [slowest]: reach },
  async run(bench) {
    const { database, pages } = await filled(bench)
    const password = randomBytes(16).toString('hex')
    const env = { DASHBOARD_PASSWORD: password, SECRETS_KEY: secretsKey, ROLES: 'api' }
    return await bench.during(startServiceProcess(database, env), async ({ port }) => {
      const origin = `http://127.0.0.1:${port}`
      const cookie = await signIn(origin, password)
      const first = await timeOf(`${origin}/dashboard`, cookie)
      const rounds: number[][] = []
      for (let round = 0; round < bench.options.rounds; round += 1) {
        const times: number[] = []
        for (const path of pages) {
          const runs: number[] = []
          for (let run = 0; run < timesPerRound; run += 1)
            runs.push(await timeOf(origin + path, cookie))
          times.push(median(runs))
        }
        rounds.push(times)
      }
      const worst = rounds.map(times => Math.max(...times))
      // Without what tells one workspace from another.
      const detail = pages
        .map((path, place) => {
          const name = path.slice('/dashboard'.length).replace(/[0-9a-f-]{36}/, '…') || '/'
          return `${name} ${median(rounds.map(times => times[place] ?? Number.NaN)).toFixed(0)}`
        })
        .join(', ')
      const figures: Figure[] = [
        { name: slowest, value: median(worst), unit: 'ms', spread: spread(worst), reach, detail },
        { name: 'the overview, first time after a start', value: first, unit: 'ms' },
      ]
      return figures
    })
  },
}
