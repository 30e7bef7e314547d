// The generator matrix: each generator makes a client of the published description, which compiles and does what clients
// do. It installs packages and takes minutes, so it runs only when it is asked for: bun run generators.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadDemo } from '../../src/demo/load.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService } from '../support/http/service.ts'
import { useWorker } from '../support/process/worker.ts'
import { until } from '../support/until.ts'
import { whyNot } from './asked.ts'
import { generators } from './generators.ts'

const api = useService()
useWorker(api)
const dir = makeDataDir('generators')
const seen = { events: 0, named: 0 }

beforeAll(async () => {
  if (generators.every(one => whyNot(one))) return
  writeFileSync(join(dir, 'openapi.json'), (await api.send('/openapi.json')).text)
  await loadDemo(api.sql, 200, () => {})
  await until(() => isSequenced(api.sql), 20_000)
  const events = await feedReader(api, { types: 'lead.created,signal.opened' }).readAll()
  seen.events = events.length
  seen.named = events.filter(({ event_type }) => event_type === 'lead.created').length
}, 120_000)

afterAll(() => removeDataDir(dir))

/** Runs a command line; fails with what it said. */
async function shell(command: string, cwd: string): Promise<string> {
  const env = {
    ...(process.env as Record<string, string>),
    DOC: join(dir, 'openapi.json'),
    CLIENTS: join(import.meta.dir, 'clients'),
    GOFLAGS: '-mod=mod',
  }
  const child = Bun.spawn(['sh', '-c', command], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  const [out, said] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0)
    throw new Error(`${command}\n${(out + said).split('\n').slice(-40).join('\n')}`)
  return out
}

describe('the generator', () => {
  for (const [index, generator] of generators.entries()) {
    const reason = whyNot(generator)
    const { name, make, run } = generator
    test.skipIf(reason !== undefined)(
      `${name}: generates, compiles, lists, gets, gets a 404, walks the feed${reason ? ` (skipped: ${reason})` : ''}`,
      async () => {
        const folder = join(dir, String(index))
        mkdirSync(folder)
        for (const command of make) await shell(command, folder)
        if (run === undefined) return
        const said = JSON.parse(await shell(`${run} ${api.base} ${api.key}`, folder))
        expect(said).toEqual({ leads: 5, same: true, missing: 'not_found', ...seen })
      },
      900_000,
    )
  }
})
