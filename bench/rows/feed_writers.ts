// feed_writers: the insert rate of writers with the service's worker live, against without any service.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSequenced, sequenceAll } from '../../test/support/feed/sequencing.ts'
import { until } from '../../test/support/until.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { findPgbench, runPgbench } from '../pgbench.ts'
import { benchDir, startServiceProcess } from '../processes.ts'
import { alternateRounds } from '../rounds.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'
import { median, spread } from '../statistics.ts'

const reach = { atLeast: 0.9 }
const connections = [8, 32]

function writeInsertScript(): string {
  const path = join(benchDir, 'insert_lead.pgbench')
  const values = "('Bench Person', 'bench@example.org', '+49 30 23125000')"
  writeFileSync(path, `insert into leads (name, email, phone) values ${values};\n`)
  return path
}

/** Every round starts with nothing waiting, so that no round works off another's events. */
const clear = ({ url }: BenchDatabase) =>
  withSql(url, async sql => {
    await sequenceAll(sql)
    await sql.unsafe('checkpoint')
  })

const drained = ({ url }: BenchDatabase) =>
  withSql(url, sql => until(() => isSequenced(sql), 60_000))

async function compare(bench: Bench, database: BenchDatabase, program: string, clients: number) {
  const script = writeInsertScript()
  const seconds = bench.options.seconds
  const write = () =>
    runPgbench(program, script, database.url, { clients, seconds, planMode: 'auto' })
  const stopped = async () => {
    await clear(database)
    return await write()
  }
  const live = async () => {
    await clear(database)
    return await bench.during(startServiceProcess(database), async () => {
      const rate = await write()
      await drained(database)
      return rate
    })
  }
  await write()
  const [off = [], on = []] = await alternateRounds(
    [
      { name: 'stopped', measure: stopped },
      { name: 'live', measure: live },
    ],
    bench.options.rounds,
  )
  const ratios = on.map((rate, round) => rate / (off[round] ?? Number.NaN))
  return { ratios, on, off }
}

export const feedWriters: Row = {
  name: 'feed_writers',
  measures: 'inserts per second with the worker live against stopped, event triggers on in both',
  reaches: Object.fromEntries(connections.map(clients => [`${clients} connections`, reach])),
  async run(bench) {
    const program = findPgbench()
    if (!program) throw new Error('pgbench is not installed')
    const database = await bench.database(bench.options.sizes.small, 'writers')
    const figures: Figure[] = []
    for (const clients of connections) {
      const { ratios, on, off } = await compare(bench, database, program, clients)
      figures.push({
        name: `${clients} connections`,
        value: median(ratios),
        unit: '×',
        spread: spread(ratios),
        reach,
        detail: `${Math.round(median(on))} /s live, ${Math.round(median(off))} /s stopped`,
      })
    }
    return figures
  },
}
