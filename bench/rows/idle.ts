// idle: what a service with its worker takes of the machine while nothing happens, PostgreSQL included.
import { withSql } from '../bench.ts'
import { offerOne, openPlace, startWarm } from '../delivering.ts'
import type { Figure, Row } from '../figures.ts'
import { cpuSecondsOf, postgresCpuSeconds } from '../processes.ts'

const eventEveryMs = 9_000
// Until the runtime has compiled and freed what the warm-up left: some ten seconds.
const calmMs = { quick: 5_000, full: 30_000 }

export const idle: Row = {
  name: 'idle',
  measures: 'share of a core that an idle service and PostgreSQL take, over a minute',
  async run(bench) {
    const seconds = bench.options.quick ? 15 : 60
    const place = await openPlace(bench)
    const { pid } = await startWarm(place, 1)
    return await withSql(place.database.url, async sql => {
      const measure = async (name: string, atMost: number, work: () => Promise<unknown>) => {
        await Bun.sleep(bench.options.quick ? calmMs.quick : calmMs.full)
        const used = async () => [cpuSecondsOf(pid), await postgresCpuSeconds(sql)] as const
        const [own, postgres] = await used()
        const from = performance.now()
        while (performance.now() - from < seconds * 1_000) await work()
        const share = 100 / ((performance.now() - from) / 1_000)
        const [ownEnd, postgresEnd] = await used()
        const [process, server] = [(ownEnd - own) * share, (postgresEnd - postgres) * share]
        return {
          name,
          value: process + server,
          unit: '%',
          reach: { atMost },
          detail: `service ${process.toFixed(2)} %, PostgreSQL ${server.toFixed(2)} %`,
        } satisfies Figure
      }
      return [
        await measure('idle', 0.5, () => Bun.sleep(1_000)),
        await measure('one event every nine seconds', 1, async () => {
          await offerOne(sql, place)
          await Bun.sleep(eventEveryMs)
        }),
      ]
    })
  },
}
