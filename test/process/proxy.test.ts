// The shipped proxies before two processes, without TLS: one is killed under load and comes back, odd requests harm no one
// else, and the event stream passes at once.
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../bench/processes.ts'
import { read, root } from '../repo/sources.ts'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { rawRequest, sendRaw, statusesOf } from '../support/http/raw.ts'
import { useWorkspace } from '../support/process/workspace.ts'
import { until } from '../support/until.ts'

const workspace = useWorkspace(() => ({ TRUSTED_PROXIES: '127.0.0.1' }))
const dir = makeDataDir('proxy')
afterAll(() => removeDataDir(dir))

const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
const nginxMain = `daemon off;\nerror_log ${dir}/error.log;\npid ${dir}/pid;\nevents {}\nhttp {
${folders.map(name => `${name}_temp_path ${dir}/${name};`).join('\n')}\n`

/** Its arguments, once the shipped configuration leads from port `own` to the two processes. */
const proxies = {
  nginx(own: number, processes: number[]) {
    const server = read('deploy/nginx.conf')
      .replace(/^ *ssl_certificate.*\n/gm, '')
      .replace('/var/log/nginx', dir)
      .replace('443 ssl', `127.0.0.1:${own}`)
      .replace(/:(3000|3001)/g, (_, port) => `:${processes[port - 3000]}`)
    writeFileSync(join(dir, 'nginx.conf'), `${nginxMain}${server}}\n`)
    return ['-p', dir, '-c', join(dir, 'nginx.conf')]
  },
  caddy: () => ['run', '--config', join(root, 'deploy/Caddyfile'), '--adapter', 'caddyfile'],
}

type Configure = (own: number, processes: number[]) => string[]

async function behind(program: string, configure: Configure) {
  const [own, ...processes] = [await freePort(), await freePort(), await freePort()] as const
  const host = `127.0.0.1:${own}`
  for (const port of processes) await workspace.start({ PORT: String(port) })
  const UPSTREAMS = processes.map(port => `127.0.0.1:${port}`).join(' ')
  const proxy = Bun.spawn([program, ...configure(own, [...processes])], {
    env: { SITE: `http://${host}`, UPSTREAMS, CADDY_ADMIN: `unix/${dir}/admin`, HOME: dir },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const authorization = `Bearer ${workspace.key}`
  const get = (path: string, headers = {}) =>
    fetch(`http://${host}/api/v1${path}`, { headers: { authorization, ...headers } })

  /** Does `work` while others send requests; then twenty more follow. All get 200. */
  async function underLoad(work: () => Promise<unknown>) {
    const statuses: number[] = []
    let isOver = false
    const send = async () => void statuses.push((await get('/leads?limit=1')).status)
    const clients = [1, 2, 3].map(async () => {
      while (!isOver) await send()
    })
    await until(() => statuses.length > 20)
    await work()
    isOver = true
    await Promise.all(clients)
    for (let more = 0; more < 20; more += 1) await send()
    expect(new Set(statuses)).toEqual(new Set([200]))
  }

  /** Four times, so that each process would get its turn twice. */
  async function refuses(method: string, path: string, status: number) {
    const isAll = (text: string) => text.includes('"invalid_request"')
    for (let turn = 0; turn < 4; turn += 1) {
      const reply = await sendRaw(own, rawRequest(method, path, { Host: host }), { isAll })
      expect(statusesOf(reply)).toEqual([status])
    }
  }

  try {
    await until(async () => (await get('/leads')).ok, 10_000)
    await underLoad(async () => {
      for (const one of workspace.processes.slice(0, 1)) await workspace.kill(one)
      await workspace.start({ PORT: String(processes[0]) })
    })
    await underLoad(() => refuses('FOO', '/api/v1/leads', 405))
    await underLoad(() => refuses('GET', `/api/v1/leads?search=${'a'.repeat(20_000)}`, 414))
    const head = (await get('/events?limit=1')).headers.get('X-Feed-Head')
    const { body } = await get(`/events?after=${head}`, { accept: 'text/event-stream' })
    const [id = ''] = await workspace.emit()
    for await (const bytes of body ?? []) if (Buffer.from(bytes).includes(id)) return
    expect.unreachable('the stream ended without the event')
  } finally {
    proxy.kill()
    await proxy.exited
    for (const one of [...workspace.processes]) await workspace.kill(one)
  }
}

for (const [name, configure] of Object.entries<Configure>(proxies)) {
  const program = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin` }) ?? ''
  const left = program === '' ? ': left out, because it is not here' : ''
  test.skipIf(program === '')(`${name}${left}`, () => behind(program, configure), 60_000)
}
