// bun run bench: runs the rows, prints the table, writes .data/bench.json and .data/bench.svg.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { progress, UsageError, write } from '../src/cli/output.ts'
import { type Bench, openBench } from './bench.ts'
import { reportChart } from './chart.ts'
import { type Options, readOptions, usage } from './options.ts'
import { benchDir } from './processes.ts'
import { printRow, printSum, type Report, type RowReport } from './report.ts'
import type { Figure, Row } from './row.ts'
import { benchRows } from './rows/rows.ts'

// A reason that fills no page.
const reasonMax = 200

function chosenRows({ names }: Options): Row[] {
  const unknown = names.filter(name => !benchRows.some(row => row.name === name))
  if (unknown.length > 0)
    throw new Error(
      `no row ${unknown.join(', ')}; rows: ${benchRows.map(({ name }) => name).join(', ')}`,
    )
  return names.length === 0 ? benchRows : benchRows.filter(({ name }) => names.includes(name))
}

/** A row that cannot run misses everything it had to reach, and one that only shows, itself. */
function missed({ name, reaches }: Row, detail: string): Figure[] {
  const figures = Object.entries(reaches).map(([name, reach]) => ({ name, reach }))
  const asked = figures.length > 0 ? figures : [{ name }]
  return asked.map(figure => ({ ...figure, value: null, unit: '', detail }))
}

async function runRow(bench: Bench, row: Row): Promise<RowReport> {
  progress(`Running ${row.name}.`)
  const figures = await row
    .run(bench)
    .catch((error: Error) => missed(row, `did not run: ${error.message.slice(0, reasonMax)}`))
    .finally(bench.stopKept)
  return { name: row.name, measures: row.measures, figures }
}

function newReport({ rounds, seconds, sizes }: Options): Report {
  const [cpu] = cpus()
  const [small, large] = [sizes.small, sizes.large].map(size => size.toLocaleString('en'))
  return {
    at: new Date().toISOString(),
    machine: `${cpus().length} × ${cpu?.model ?? 'unknown'}, Bun ${Bun.version}`,
    settings:
      `${small} and ${large} leads; ${rounds} rounds of ${seconds} s, in turn, median and spread; ` +
      'warm-up: 3 s of load per server, 8 s of pgbench; PostgreSQL durable, service, load and peers share the machine',
    notes: [],
    rows: [],
  }
}

function save(report: Report) {
  writeFileSync(`${benchDir}.json`, `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(`${benchDir}.svg`, reportChart(report))
}

async function main(args: string[]): Promise<void> {
  const options = readOptions(args)
  const chosen = chosenRows(options)
  const report = newReport(options)
  write(`${report.machine}\n${report.settings}`)
  const opening = openBench(options, sentence => {
    report.notes.push(sentence)
    progress(`  ${sentence}`)
  })
  const leave = () => void opening.then(opened => opened.close()).finally(() => process.exit(130))
  process.once('SIGINT', leave)
  process.once('SIGTERM', leave)
  const bench = await opening
  try {
    for (const row of chosen) {
      const done = await runRow(bench, row)
      report.rows.push(done)
      printRow(done)
    }
  } finally {
    await bench.close()
  }
  printSum(report)
  save(report)
}

await main(process.argv.slice(2)).catch((error: Error) => {
  progress(error instanceof UsageError ? `${error.message}\n\n${usage}` : error.message)
  process.exitCode = 1
})
