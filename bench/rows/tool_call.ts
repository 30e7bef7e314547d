// tool_call: what the tool server adds to a read: a tools/call over HTTP less the same read by REST, one at a time and in turn.
import { type Figure, median, type Row } from '../figures.ts'
import { getRequest } from '../load/load.ts'
import { startServiceProcess } from '../processes.ts'
import { revisions, toolCallsOf, toolRequest } from '../tools.ts'

const warmUpTimes = 300

export const toolCall: Row = {
  name: 'tool_call',
  measures: 'microseconds that a tools/call takes above the same read by REST, p50',
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small)
    const calls = await toolCallsOf(database)
    const { keys } = database
    const times = bench.options.rounds * 500
    const { port } = await bench.keep(startServiceProcess(database))
    const figures: Figure[] = []
    for (const call of calls) {
      const sides = [
        keys.map(key => getRequest(call.path, key)),
        ...revisions.map(revision => keys.map(key => toolRequest(call, key, revision))),
      ].map(requests => ({ port, requests }))
      await bench.load.alternate({ times: warmUpTimes, sides })
      const measured = await bench.load.alternate({ times, sides })
      const [rest = Number.NaN, ...tools] = measured.map(one => median(one) * 1_000)
      for (const [place, revision] of revisions.entries()) {
        const whole = tools[place] ?? Number.NaN
        figures.push({
          name: `${call.name}, ${revision}`,
          value: whole - rest,
          unit: 'µs',
          reach: { atMost: 300 },
          detail: `${whole.toFixed(0)} µs, by REST ${rest.toFixed(0)} µs`,
        })
      }
    }
    return figures
  },
}
