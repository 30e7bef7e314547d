// fuzz: every parser of bytes from outside, and whole requests, for longer than a test may. --seed repeats a course.
import { runTarget } from '../../test/support/fuzz/course.ts'
import { faultOf, fuzzedRequest } from '../../test/support/fuzz/requests.ts'
import { runStatement, statements } from '../../test/support/fuzz/statements.ts'
import { targets } from '../../test/support/fuzz/targets.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { startServiceProcess } from '../processes.ts'
import type { Figure, Row } from '../row.ts'
import { withSql } from '../session.ts'

const inputsTotal = 1_000_000
const statementInputs = 50_000
const perStatement = 500
const requestsTotal = 100_000
const connections = 8
// So many more steps for a row that is to be quick.
const quickShare = 20

const none = { atMost: 0 }
const slowestMs = { atMost: 100 }
const reaches = {
  'inputs that broke a promise': none,
  'slowest input': slowestMs,
  'requests answered wrongly': none,
  'slowest request': slowestMs,
}

type Sum = { inputs: number; broken: string[]; slowestMs: number; slowest: string }

const newSum = (): Sum => ({ inputs: 0, broken: [], slowestMs: 0, slowest: '' })

function addSlowest(sum: Sum, milliseconds: number, what: string) {
  if (milliseconds <= sum.slowestMs) return
  sum.slowestMs = milliseconds
  sum.slowest = what
}

async function fuzzTargets(seed: number, inputs: number): Promise<Sum> {
  const sum = newSum()
  for (const target of targets) {
    const course = await runTarget(target, seed, { inputs }).catch((error: Error) => {
      sum.broken.push(error.message)
      return { inputs: 1, slowestMs: 0, slowest: '' }
    })
    sum.inputs += course.inputs
    addSlowest(sum, course.slowestMs, `${target.name}: ${course.slowest}`)
  }
  return sum
}

async function fuzzStatements(url: string, seed: number, inputs: number, sum: Sum) {
  await withSql(url, async sql => {
    for (const statement of statements)
      for (let done = 0; done < inputs; done += perStatement) {
        const took = await runStatement(sql, statement, seed + done, perStatement).catch(
          (error: Error) => {
            sum.broken.push(error.message)
            return 0
          },
        )
        sum.inputs += perStatement
        addSlowest(sum, took / perStatement, `${statement.name}, mean of ${perStatement}`)
      }
  })
}

async function fuzzRequests(
  url: string,
  { keys }: BenchDatabase,
  first: number,
  total: number,
): Promise<Sum> {
  const sum = newSum()
  let next = 0
  const one = async (seed: number) => {
    const { path, init } = fuzzedRequest(seed, keys[seed % keys.length] ?? '')
    const startedAt = performance.now()
    const fault = await fetch(url + path, init).then(
      response => faultOf(response, init.method === 'HEAD'),
      (error: Error) => error.message,
    )
    sum.inputs += 1
    if (fault !== undefined) sum.broken.push(`seed ${seed}: ${fault}`)
    addSlowest(sum, performance.now() - startedAt, `seed ${seed}`)
  }
  const loop = async () => {
    while (next < total) {
      next += 1
      await one(first + next)
    }
  }
  await Promise.all(Array.from({ length: connections }, loop))
  return sum
}

const figuresOf = (names: [keyof typeof reaches, keyof typeof reaches], sum: Sum): Figure[] => [
  {
    name: names[0],
    value: sum.broken.length,
    unit: '',
    reach: reaches[names[0]],
    detail: sum.broken[0] ?? `of ${sum.inputs.toLocaleString('en')}`,
  },
  {
    name: names[1],
    value: sum.slowestMs,
    unit: 'ms',
    reach: reaches[names[1]],
    detail: sum.slowest,
  },
]

export const fuzz: Row = {
  name: 'fuzz',
  measures: 'inputs from chance for every parser, and requests from chance for a service',
  reaches,
  async run(bench: Bench) {
    const { seed, quick, sizes } = bench.options
    const share = quick ? quickShare : 1
    bench.note(`fuzz: --seed ${seed}.`)
    const database = await bench.database(sizes.small, 'fuzz')
    const pure = inputsTotal - statements.length * statementInputs
    const inputs = await fuzzTargets(seed, Math.ceil(pure / targets.length / share))
    await fuzzStatements(database.url, seed, statementInputs / share, inputs)
    const { port } = await bench.keep(startServiceProcess(database))
    const url = `http://127.0.0.1:${port}`
    const requests = await fuzzRequests(url, database, seed, requestsTotal / share)
    return [
      ...figuresOf(['inputs that broke a promise', 'slowest input'], inputs),
      ...figuresOf(['requests answered wrongly', 'slowest request'], requests),
    ]
  },
}
