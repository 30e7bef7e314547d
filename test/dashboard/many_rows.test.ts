// Pages stay fast when there is much to show: 100 subscriptions, 100,000 deliveries and attempts, as many events.
import { beforeAll, expect, test } from 'bun:test'
import { dashboardSettings, type Session, signIn } from '../support/dashboard.ts'
import { fillOwnersSide, ownersPages } from '../support/many_rows.ts'
import { useService } from '../support/service.ts'

const api = useService(dashboardSettings)
let session: Session
let hookId = ''

// The fastest of nine is what a page costs: other tests run beside this one.
const answerMsMax = 50

beforeAll(async () => {
  const { sql } = api
  hookId = await fillOwnersSide(sql, 100_000)
  session = await signIn(api)
}, 60_000)

async function timeOf(path: string): Promise<number> {
  const startedAt = performance.now()
  const { status } = await session.get(path)
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  return performance.now() - startedAt
}

test('every page answers within 50 ms', async () => {
  const [delivery] = await api.sql`select max(id) as id from hook_deliveries`
  const paths = ownersPages(hookId, delivery?.id)
  const times: Record<string, number> = {}
  for (const path of paths) {
    const runs: number[] = []
    for (let run = 0; run < 9; run += 1) runs.push(await timeOf(path))
    times[path] = Math.round(Math.min(...runs))
  }
  const slow = Object.fromEntries(Object.entries(times).filter(([, ms]) => ms > answerMsMax))
  expect(slow).toEqual({})
}, 60_000)
