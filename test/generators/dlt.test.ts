// The program with dlt of the guide copies leads and events twice, the second time what has come since. Asked for as the
// generators are.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadDemo } from '../../src/demo/load.ts'
import { read } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { useWorker } from '../support/process/worker.ts'
import { until } from '../support/until.ts'
import { whyNot } from './asked.ts'

const api = useService()
useWorker(api)
const dir = makeDataDir('dlt')
const reason = whyNot({ name: 'dlt', needs: ['python3'] })
const skipped = reason ? ` (skipped: ${reason})` : ''

beforeAll(async () => {
  if (skipped !== '') return
  await loadDemo(api.sql, 100, () => {})
  await until(() => isSequenced(api.sql), 20_000)
}, 60_000)
afterAll(() => removeDataDir(dir))

async function shell(command: string): Promise<string> {
  const env = { ...process.env, DLT_DATA_DIR: dir, RUNTIME__DLTHUB_TELEMETRY: 'false' }
  const child = Bun.spawn(['sh', '-c', `${command} 2>&1`], { cwd: dir, env, stdout: 'pipe' })
  const out = await new Response(child.stdout).text()
  expect([await child.exited, out.slice(-2_000)]).toEqual([0, expect.any(String)])
  return out.trim()
}

const counts = `
import duckdb
found = duckdb.connect("workspace.duckdb").execute
print(*(found(f"select count(*) from workspace_data.{table}").fetchone()[0] for table in ("leads", "events")))
`

const countRows = async () => {
  const [found] =
    await api.sql`select (select count(*) from leads) as leads, (select count(*) from event_cursors) as events`
  return `${found?.leads} ${found?.events}`
}

test.skipIf(skipped !== '')(
  `the program with dlt copies every lead and event${skipped}`,
  async () => {
    const [, program = ''] =
      /```python\n([\s\S]*?)```/.exec(read('docs/guides/copy_everything.md')) ?? []
    const ours = program
      .replace('https://workspace.example.com/api/v1/', `${api.base}/`)
      .replace('dlt.secrets["workspace_key"]', `"${api.key}"`)
    writeFileSync(join(dir, 'program.py'), ours)
    writeFileSync(join(dir, 'counts.py'), counts)
    await shell('python3 -m venv py && py/bin/pip install -q "dlt[duckdb]"')
    for (const name of ['Erika Muster', 'Max Beispiel']) {
      await api.sql`insert into leads (name) values (${name})`
      await until(() => isSequenced(api.sql), 20_000)
      await shell('py/bin/python program.py')
      expect(await shell('py/bin/python counts.py')).toBe(await countRows())
    }
  },
  600_000,
)
