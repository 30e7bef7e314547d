// bun run bench: runs the rows, prints one table, writes it to .data/bench.md and its picture to .data/bench.svg.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { progress, UsageError, write } from '../src/cli/command.ts'
import { type Bench, type Options, openBench } from './bench.ts'
import type { Row } from './figures.ts'
import { markdownOf, missedOf, pictureOf, type RowReport } from './output.ts'
import { benchDir } from './processes.ts'
import { deliveries } from './rows/deliveries.ts'
import { deliveryFairness } from './rows/delivery_fairness.ts'
import { deliveryLag } from './rows/delivery_lag.ts'
import { feedLag } from './rows/feed_lag.ts'
import { growth } from './rows/growth.ts'
import { heldSnapshot } from './rows/held_snapshot.ts'
import { idle } from './rows/idle.ts'
import { keyCheck } from './rows/key_check.ts'
import { memory } from './rows/memory.ts'
import { reads } from './rows/reads.ts'
import { ready } from './rows/ready.ts'
import { toolCall } from './rows/tool_call.ts'

/** In the order they run. */
const rows: Row[] = [
  reads,
  growth,
  deliveries,
  deliveryLag,
  deliveryFairness,
  heldSnapshot,
  idle,
  feedLag,
  keyCheck,
  toolCall,
  memory,
  ready,
]

const usage = `Usage: bun run bench [NAME…] [--quick]

  --quick  each row within a minute: small databases, one round, short stretches

${rows.map(({ name, measures }) => `  ${name.padEnd(17)}  ${measures}`).join('\n')}
`

const quickly = { rounds: 1, seconds: 0.5, sizes: { small: 500, medium: 1_000, large: 2_000 } }
const sizes = { small: 10_000, medium: 100_000, large: 1_000_000 }
const thoroughly = { rounds: 5, seconds: 3, sizes }

function readArguments(args: string[]): { chosen: Row[]; options: Options } {
  const { values, positionals: names } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
    },
  })
  const unknown = names.filter(name => !rows.some(row => row.name === name))
  if (unknown.length > 0) throw new UsageError(`There is no row ${unknown.join(', ')}.`)
  const { quick } = values
  return {
    chosen: rows.filter(({ name }) => names.length === 0 || names.includes(name)),
    options: { quick, ...(quick ? quickly : thoroughly) },
  }
}

async function runRow(bench: Bench, row: Row): Promise<RowReport> {
  progress(`Running ${row.name}.`)
  const startedAt = performance.now()
  const figures = await row
    .run(bench)
    .catch((error: Error) => [
      { name: 'did not run', value: null, unit: '', detail: error.message.slice(0, 300) },
    ])
    .finally(bench.stopKept)
  progress(`  ${row.name} took ${Math.round((performance.now() - startedAt) / 1_000)} s.`)
  return { name: row.name, figures }
}

async function main(args: string[]): Promise<void> {
  const { chosen, options } = readArguments(args)
  const opening = openBench(options)
  const leave = () => void opening.then(opened => opened.close()).finally(() => process.exit(130))
  process.once('SIGINT', leave)
  process.once('SIGTERM', leave)
  const bench = await opening
  const reports: RowReport[] = []
  try {
    for (const row of chosen) reports.push(await runRow(bench, row))
  } finally {
    await bench.close()
  }
  const { rounds, seconds, sizes } = options
  const { missed, asked } = missedOf(reports)
  const leads = Object.values(sizes).map(size => size.toLocaleString('en'))
  const text = `${markdownOf(reports)}

${missed} of ${asked} figures missed.

${new Date().toISOString()}, ${cpus().length} × ${cpus()[0]?.model}, Bun ${Bun.version}, for PostgreSQL, service, load and peers together.
${leads.join(', ')} leads; ${rounds} rounds of ${seconds} s: median, least and greatest.`
  write(text)
  writeFileSync(`${benchDir}.md`, `${text}\n`)
  writeFileSync(`${benchDir}.svg`, pictureOf(reports))
  if (missed > 0) process.exitCode = 1
}

await main(process.argv.slice(2)).catch((error: Error) => {
  progress(error instanceof UsageError ? `${error.message}\n\n${usage}` : error.message)
  process.exitCode = 1
})
