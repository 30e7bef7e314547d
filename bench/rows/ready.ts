// ready: how soon a process serves on a migrated database.
import { buildBinary } from '../../test/support/process/program.ts'
import { type Figure, figure, type Row } from '../figures.ts'
import { benchDir, startServiceProcess } from '../processes.ts'

export const ready: Row = {
  name: 'ready',
  measures: 'milliseconds from process start to /readyz 200',
  async run(bench) {
    const { quick, sizes } = bench.options
    const database = await bench.database(sizes.large)
    const commands = {
      'ready after': [process.execPath, 'src/main.ts'],
      'ready after, the binary': [await buildBinary(benchDir)],
    }
    const figures: Figure[] = []
    for (const [name, command] of Object.entries(commands)) {
      const times: number[] = []
      // The first one reads the files from the disk.
      for (let turn = 0; turn <= (quick ? 3 : 10); turn += 1) {
        const startedAt = performance.now()
        const { stop } = await bench.keep(startServiceProcess(database, {}, command))
        times.push(performance.now() - startedAt)
        await stop()
      }
      figures.push(figure(name, times.slice(1), 'ms', { atMost: 300 }))
    }
    return figures
  },
}
