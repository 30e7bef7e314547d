// The program of the guide "Copy everything" where it meets a mistake, a service that is away, or itself.
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { client, firstCopy, type Store } from '../../docs/guides/copy/copy.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { useService } from '../support/http/service.ts'

const api = useService()
const dir = makeDataDir('copy_client')
const guide = join(import.meta.dir, '../../docs/guides/copy')

afterAll(() => removeDataDir(dir))

const store: Store = {
  put: async () => {},
  get: async () => undefined,
  remove: async () => {},
  ids: async () => [],
  keepCursor: async () => {},
}

test('a base without the version, and what is not answered, end in a sentence or are tried again', async () => {
  const wrong = client(api.base.replace('/api/v1', ''), api.key)
  await expect(firstCopy(wrong, store)).rejects.toThrow('the base must end in /api/v1')
  await expect(client(api.base, 'wda_wrong')('/leads')).rejects.toThrow('401: ')
  let asked = 0
  const away = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => {
      asked += 1
      return new Response(asked === 1 ? '{"data"' : '{"data":[]}', {
        status: asked === 2 ? 503 : 200,
      })
    },
  })
  expect((await client(`${away.url}`, 'k')('/leads'))?.data).toEqual([])
  expect(asked).toBe(3)
  await away.stop(true)
}, 20_000)

test('next to a running one, run.ts says so and copies nothing', async () => {
  const lock = new Database(join(dir, 'copy.lock'))
  lock.run('begin exclusive')
  const env = { ...process.env, BASE: api.base, KEY: api.key }
  const other = Bun.spawn(['bun', join(guide, 'run.ts')], { cwd: dir, env, stderr: 'pipe' })
  expect(await new Response(other.stderr).text()).toBe('Another run.ts is at work here.\n')
  expect(await other.exited).toBe(1)
  expect(existsSync(join(dir, 'copy.sqlite'))).toBe(false)
  lock.close()
})
