// The requests that the README and the guides show are answered, with curl, as they stand there; their commands exist.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commands } from '../../src/cli/commands.ts'
import { filesIn, pages, read } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { allowedTargets, subscribe, useService } from '../support/http/service.ts'

const api = useService(allowedTargets)
const dir = makeDataDir('curl')
afterAll(() => removeDataDir(dir))

const examples = [{ path: 'README.md', text: read('README.md') }, ...filesIn('docs/guides', '.md')]
  .flatMap(({ path, text }) =>
    [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(match => ({ path, script: match[1] ?? '' })),
  )
  .filter(({ script }) => /^curl /m.test(script))

beforeAll(() => {
  mkdirSync(join(dir, '.data'))
  writeFileSync(join(dir, '.data/demo_key'), api.key)
})

// A stream goes on until the time is over; its status came before.
const curl = `curl() { command curl --silent --max-time 3 --output /dev/null --write-out '%{http_code}\\n' "$@"; }`

const missing = Bun.which('curl') === null ? ' (skipped: there is no curl here)' : ''

test.skipIf(missing !== '').each(examples)(
  `every request of $path is answered${missing}`,
  async ({ script }) => {
    const { url } = api.service
    const { body } = await subscribe(api)
    const child = Bun.spawn(
      ['bash', '-c', `${curl}\n${script.replaceAll('http://127.0.0.1:3000', url)}`],
      {
        cwd: dir,
        env: {
          PATH: process.env.PATH ?? '',
          BASE: api.base,
          KEY: api.key,
          HOOK_ID: body.data.id,
          CURSOR: '0',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const statuses = (await new Response(child.stdout).text()).trim().split('\n')
    expect(statuses).toHaveLength(script.match(/^curl /gm)?.length ?? 0)
    expect(statuses.filter(status => !['200', '201', '204'].includes(status))).toEqual([])
  },
  60_000,
)

test('the row that the README makes is an event', async () => {
  const [, statement = ''] = /^psql .* -c "(.+)"$/m.exec(read('README.md')) ?? []
  await api.sql.unsafe(statement)
  const events = await api.sql`select event_type from events where data ->> 'name' = 'Erika Muster'`
  expect(events.map(({ event_type }) => event_type)).toEqual(['lead.created'])
})

test('every command that a page shows is one of the program, with its options', () => {
  const shown = pages.flatMap(({ text }) =>
    [...text.matchAll(/bun src\/main\.ts ([a-z][^`#\n|]*)/g)].map(([, line = '']) => line.trim()),
  )
  const isKnown = (line: string) =>
    commands.some(command => {
      const [words = ''] = /^[a-z]+( [a-z]+)*/.exec(command.line) ?? []
      const options = line.match(/--[a-z-]+/g) ?? []
      return `${line} `.startsWith(`${words} `) && options.every(one => command.line.includes(one))
    })
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.filter(line => !isKnown(line))).toEqual([])
})
