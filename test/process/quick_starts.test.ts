// The programs of docs/guides/quick_starts.md, as they stand on the page, with a limit they run into.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { goEnvironment } from '../support/process/program.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)
const dir = makeDataDir('quick-starts')
const guide = readFileSync(join(import.meta.dir, '../../docs/guides/quick_starts.md'), 'utf8')
const rows = 450

beforeAll(async () => {
  // As after the first month: the oldest event has expired.
  await api.sql`insert into signals (kind, title, score) values ('x', 'x', 1)`
  await until(() => isSequenced(api.sql), 20_000)
  await api.sql`update feed set horizon = (select head from feed_state)`
  await api.sql`insert into leads (name) select 'Lead ' || n from generate_series(1, ${rows}) as n`
  await until(() => isSequenced(api.sql), 20_000)
}, 60_000)
afterAll(() => removeDataDir(dir))

type Language = { name: string; fence: string; needs: string; file: string; run: string[] }
const languages: Language[] = [
  {
    name: 'TypeScript',
    fence: 'ts',
    needs: 'bun',
    file: 'main.ts',
    run: [process.execPath, 'main.ts'],
  },
  {
    name: 'Python',
    fence: 'python',
    needs: 'python3',
    file: 'main.py',
    run: ['python3', 'main.py'],
  },
  { name: 'Go', fence: 'go', needs: 'go', file: 'main.go', run: ['go', 'run', 'main.go'] },
  {
    name: 'Java',
    fence: 'java',
    needs: 'java',
    file: 'Quickstart.java',
    // Without the compiler that pays off after seconds.
    run: ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', 'Quickstart.java'],
  },
]

/** In front of the service: refuses the third request as the limit does, and lets the others through. */
function openLimited() {
  const asked: string[] = []
  const upgrades: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      asked.push(pathname + search)
      const upgrade = request.headers.get('upgrade')
      if (upgrade !== null) upgrades.push(upgrade)
      if (asked.length === 3)
        return Response.json(
          { api_version: 'v1', error: { code: 'rate_limited', message: 'Try again in 1 s.' } },
          { status: 429, headers: { 'retry-after': '1' } },
        )
      const { status, headers, text } = await api.send(pathname.replace('/api/v1', '') + search, {
        headers: { authorization: request.headers.get('authorization') ?? '' },
      })
      const feedHead = headers.get('x-feed-head')
      return new Response(text, {
        status,
        headers: feedHead === null ? {} : { 'x-feed-head': feedHead },
      })
    },
  })
  const base = `http://127.0.0.1:${server.port}/api/v1`
  return { asked, upgrades, base, stop: () => server.stop(true) }
}

describe('the quick start in', () => {
  for (const { name, fence, needs, file, run } of languages) {
    const missing = Bun.which(needs) === null && needs !== 'bun'
    test.skipIf(missing)(
      `${name} lists, pages, waits at the limit and follows the feed${missing ? ` (skipped: there is no ${needs} here)` : ''}`,
      async () => {
        const folder = join(dir, fence)
        mkdirSync(folder)
        const [, text = ''] = new RegExp(`\`\`\`${fence}\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? []
        writeFileSync(join(folder, file), text)
        const limited = openLimited()
        const child = Bun.spawn([...run, limited.base, api.key], {
          cwd: folder,
          env: goEnvironment,
          stdout: 'pipe',
          stderr: 'inherit',
        })
        const out = await new Response(child.stdout).text()
        expect(out.trim()).toBe(`${rows} leads, ${rows} events, go on after ${rows + 1}`)
        limited.stop()
        // A service on Deno refuses a request that asks for another protocol.
        expect(limited.upgrades).toEqual([])
        // Three pages of each, and the third request twice.
        expect(limited.asked.map(path => path.split('?')[0])).toEqual([
          ...Array(4).fill('/api/v1/leads'),
          ...Array(3).fill('/api/v1/events'),
        ])
        expect(limited.asked[3]).toBe(limited.asked[2])
      },
      180_000,
    )
  }
})
