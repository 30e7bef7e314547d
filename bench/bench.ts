// What rows share: the server, its databases, the load process, and what must be stopped in the end.
import { mkdirSync } from 'node:fs'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/embedded/postgres.ts'
import { type BenchDatabase, openBenchDatabase } from './databases.ts'
import { type Load, startLoad } from './load/load.ts'
import type { Options } from './options.ts'
import { benchDir, type Running } from './processes.ts'
import type { Note } from './row.ts'

export type Bench = {
  options: Options
  load: Load
  note: Note
  /** Made on first use; `purpose` gives a copy of its own to a row that changes it. */
  database(leads: number, purpose?: string): Promise<BenchDatabase>
  /** Stopped when the row is over. */
  keep(started: Promise<Running>): Promise<Running>
  stopKept(): Promise<void>
  /** Runs `work` with what `start` gives and stops it afterwards, whatever happens. */
  during<Value>(
    started: Promise<Running>,
    work: (running: Running) => Promise<Value>,
  ): Promise<Value>
  close(): Promise<void>
}

export async function openBench(options: Options, note: Note): Promise<Bench> {
  mkdirSync(benchDir, { recursive: true })
  const server: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: benchDir })
  const load = startLoad()
  const databases = new Map<string, BenchDatabase>()
  const running = new Set<Running>()
  const stopKept = async () => {
    for (const one of running) await one.stop()
    running.clear()
  }
  return {
    options,
    load,
    note,
    async database(leads, purpose = '') {
      const name = `${leads} ${purpose}`
      const database = databases.get(name) ?? (await openBenchDatabase(server.url, leads, purpose))
      databases.set(name, database)
      return database
    },
    async keep(started) {
      const one = await started
      running.add(one)
      return one
    },
    stopKept,
    async during(started, work) {
      const one = await started
      running.add(one)
      try {
        return await work(one)
      } finally {
        running.delete(one)
        await one.stop()
      }
    },
    async close() {
      await stopKept()
      await load.stop()
      await server.stop()
    },
  }
}
