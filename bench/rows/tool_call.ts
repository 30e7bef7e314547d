// tool_call: what a tools/call costs above the query it runs, in this process and without sockets; and memory
// after many of them.

import { openAnswerBytes } from '../../src/api/http/answer_bytes.ts'
import { openKeySlots } from '../../src/api/http/key_slots.ts'
import { openThrottle } from '../../src/api/http/throttle.ts'
import { answerTools } from '../../src/api/mcp/serve_mcp.ts'
import { readToolArguments, toolPath } from '../../src/api/mcp/tool.ts'
import { tools } from '../../src/api/mcp/tools.ts'
import { connect } from '../../src/db/connect.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { queries } from '../../src/db/queries.ts'
import { openLog } from '../../src/observability/log.ts'
import { openKeyRing } from '../../src/operations/key_ring.ts'
import type { Bench } from '../bench.ts'
import type { BenchDatabase } from '../databases.ts'
import { postRequest } from '../load/plan.ts'
import { memoryFigures, memoryReaches, requestMemory } from '../memory.ts'
import type { Figure, Row } from '../row.ts'
import { samplePaths } from '../samples.ts'
import { median, spread } from '../statistics.ts'

const callsPerRound = 500
const memoryCalls = 100_000
const reach = { atMost: 300 }
// Handling alone, by revision.
const revisions = { 'handling 2025-11-25': false, 'handling 2026-07-28': true }

// No tool subscribes.
const hookSettings = { subscriptionsMax: 0, allowedNetworks: [], secretsKeys: [] }

type Arguments = Record<string, unknown>
type Call = { name: string; args: Arguments }

/** A small answer, a page of 20, and an analysis: 0.5, 8 and some 20 KB. */
async function callsOf(database: BenchDatabase): Promise<Call[]> {
  const paths = await samplePaths(database)
  const [, , lead_id] = (paths['/leads/{leadId}/analysis']?.[0] ?? '').split('/')
  return [
    { name: 'get_lead', args: { lead_id } },
    { name: 'list_appointments', args: {} },
    { name: 'get_lead_analysis', args: { lead_id } },
  ]
}

const message = ({ name, args }: Call, meta?: Arguments) =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, ...(meta && { _meta: meta }) },
  })

/** As a client of either era sends it. */
function requestOf(call: Call, key: string, isModern: boolean): Request {
  const body = isModern
    ? message(call, {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      })
    : message(call)
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(body.length),
    'mcp-protocol-version': isModern ? '2026-07-28' : '2025-11-25',
    ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': call.name }),
  }
  return new Request(`http://127.0.0.1${toolPath}`, { method: 'POST', headers, body })
}

/**
 * The service as it runs, but for two things that are measured elsewhere: permits are granted from memory (their
 * statement travels with the query), and nothing is logged.
 */
const openAnswer = (database: Database) =>
  answerTools(
    {
      database,
      authentication: { keyRing: openKeyRing(database, 600_000), throttle: openThrottle() },
      rateLimit: {
        permitsMax: 240,
        claim: async () => ({ granted: true, remaining: 1, waitSeconds: 0 }),
      },
      slots: openKeySlots(4, 6_000),
      answerBytes: openAnswerBytes(),
      log: openLog('silent'),
      hookSettings,
      clientOf: () => '',
      requestTimeoutMs: 6_000,
      onTimeout: () => {},
    },
    'http://127.0.0.1',
  )

/** The same database with its answers in memory once they were given: what is left is the handling. */
function recorded(database: Database): Database {
  const answers = new Map<string, unknown>()
  const record =
    <Answer>(ask: (name: never, args: never) => Promise<Answer>) =>
    async (name: string, args: object): Promise<Answer> => {
      const key = name + JSON.stringify(args)
      if (!answers.has(key)) answers.set(key, await ask(name as never, args as never))
      return answers.get(key) as Answer
    }
  return {
    listJson: record(database.listJson),
    getJson: record(database.getJson),
    list: record(database.list) as never,
    bytes: record(database.bytes) as never,
    rows: record(database.rows) as never,
  }
}

type Side = { name: string; times: number[]; work(): Promise<unknown> }

/** p50 in microseconds by side; the sides take turns. */
async function medians(sides: Omit<Side, 'times'>[]): Promise<Record<string, number>> {
  const timed: Side[] = sides.map(side => ({ ...side, times: [] }))
  for (let turn = 0; turn < callsPerRound; turn += 1)
    for (const { times, work } of timed) {
      const startedAt = performance.now()
      await work()
      times.push((performance.now() - startedAt) * 1000)
    }
  return Object.fromEntries(timed.map(({ name, times }) => [name, median(times)]))
}

async function measureCall(bench: Bench, database: Database, key: string, call: Call) {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) throw new Error(`there is no tool ${call.name}`)
  const values = readToolArguments(call.args, tool.input)
  let bytes = 0
  const answering =
    (answer: (request: Request) => Promise<Response>, isModern: boolean) => async () => {
      const response = await answer(requestOf(call, key, isModern))
      if (response.status !== 200) throw new Error(await response.text())
      bytes = (await response.bytes()).length
    }
  const [live, alone] = [openAnswer(database), openAnswer(recorded(database))]
  const parts = [
    { name: 'query', work: () => tool.run(database, values, hookSettings) },
    { name: 'call', work: answering(live, true) },
  ]
  const handling = Object.entries(revisions).map(([name, isModern]) => ({
    name,
    work: answering(alone, isModern),
  }))
  const rounds: Record<string, number>[] = []
  for (let round = 0; round <= bench.options.rounds; round += 1) {
    const { call: whole = Number.NaN, query = Number.NaN } = await medians(parts)
    rounds.push({ 'above its query': whole - query, ...(await medians(handling)) })
  }
  // The first round compiles.
  const [first = {}, ...measured] = rounds
  return Object.keys(first).map((name): Figure => {
    const figures = measured.map(round => round[name] ?? Number.NaN)
    const detail = `an answer of ${bytes.toLocaleString('en')} bytes`
    return {
      name: `${call.name}, ${name}`,
      value: median(figures),
      unit: 'µs',
      spread: spread(figures),
      reach,
      detail,
    }
  })
}

async function overheadFigures(bench: Bench, { url, keys }: BenchDatabase, calls: Call[]) {
  const options = { url, connectionsMax: 4, applicationName: 'bench', statementTimeoutMs: 5_000 }
  const sql = connect(options)
  try {
    const database = openDatabase(sql, queries)
    const figures: Figure[] = []
    for (const call of calls)
      figures.push(...(await measureCall(bench, database, keys[0] ?? '', call)))
    return figures
  } finally {
    await sql.end()
  }
}

/** Calls, and between them what the package answers: handshakes and listings. */
function memoryRequests({ keys }: BenchDatabase, calls: Call[]): string[] {
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  }
  const others = [
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize }),
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  ]
  const called = calls.map(call => message(call))
  const bodies = [...called, ...called, ...called, ...others]
  return keys.map((key, turn) => postRequest(toolPath, bodies[turn % bodies.length] ?? '', key))
}

export const toolCall: Row = {
  name: 'tool_call',
  measures: `microseconds of a tools/call: above its query, and with the query's answer at hand; p50 of ${callsPerRound}; memory over ${memoryCalls.toLocaleString('en')} messages`,
  reaches: { overhead: reach, ...memoryReaches },
  async run(bench) {
    const database = await bench.database(bench.options.sizes.small)
    const calls = await callsOf(database)
    const figures = await overheadFigures(bench, database, calls)
    const requests = memoryRequests(database, calls)
    const curve = await requestMemory(bench, database, memoryCalls, requests)
    bench.note(`tool_call: limit and log left out of the overhead; 9 messages of 11 are calls.`)
    return [...figures, ...memoryFigures(curve, `${memoryCalls.toLocaleString('en')} messages`)]
  },
}
