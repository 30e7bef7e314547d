// A worker next to the test's service, in this process or in one of its own that can be killed.
import { afterAll, beforeAll } from 'bun:test'
import { type RunningWorker, startWorker } from '../../../src/worker/start.ts'
import type { TestDatabase } from '../database/database.ts'
import { quietLog } from '../http/service.ts'
import { testConfig } from '../http/settings.ts'

/** Call at the top of a file, after useService. */
export function useWorker(
  test: TestDatabase,
  settings: Record<string, string> = {},
  log = quietLog(),
): void {
  let worker: RunningWorker
  beforeAll(async () => {
    worker = await startWorker(testConfig(settings), test.url, log)
  })
  afterAll(async () => {
    await worker.stop()
  })
}
