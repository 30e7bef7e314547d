// Bodies that no one could mean: refused in our form by their length alone, and never held in memory.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { onDeno, useService } from '../support/http/service.ts'

const api = useService()
const dir = makeDataDir('huge')
const file = join(dir, 'body')
const fileBytes = 140_000_000

beforeAll(() => {
  const opened = openSync(file, 'w')
  ftruncateSync(opened, fileBytes)
  closeSync(opened)
})
afterAll(() => removeDataDir(dir))

// One byte more than what Bun reads unless it is asked for more, and more than a number of JSON counts.
test.skipIf(onDeno).each(['134217729', '9007199254740992'])(
  'a length of %s is refused before a byte of the body comes',
  async length => {
    for (const path of ['/api/v1/hooks', '/mcp']) {
      const headers = {
        Authorization: `Bearer ${api.key}`,
        'Content-Type': 'application/json',
        'Content-Length': length,
      }
      const reply = await sendRaw(api.service.port, rawRequest('POST', path, headers), {
        isAll: text => text.includes('"code"'),
      })
      expect([path, ...statusesOf(reply)]).toEqual([path, 413])
      expect(reply.text).toMatch(/x-request-id: \S/i)
      expect(reply.text).toContain('"code":"invalid_request"')
    }
  },
)

const without = Bun.which('curl') ? '' : ' (skipped: there is no curl here)'
test.skipIf(without !== '')(`an upload of 140 MB is answered by us${without}`, async () => {
  const before = process.memoryUsage().rss
  const url = `${api.base}/hooks`
  const key = `Authorization: Bearer ${api.key}`
  const child = Bun.spawn(['curl', '-sS', '-X', 'POST', '-H', key, '-T', file, url], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const { error } = await new Response(child.stdout).json()
  expect(error).toEqual({ code: 'invalid_request', message: 'A body takes at most 65536 bytes.' })
  expect(process.memoryUsage().rss - before).toBeLessThan(fileBytes / 2)
})
