// A key and a signing secret are in the one answer that shows them: in no later page, no log line, no column.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  cookieFrom,
  dashboardSettings,
  password,
  type Session,
  signIn,
  signInByForm,
  visitor,
} from '../support/browser/dashboard.ts'
import * as factory from '../support/database/factory.ts'
import { type TestService, useService } from '../support/http/service.ts'
import { secretsKey } from '../support/http/settings.ts'
import { until } from '../support/until.ts'

const api = useService(dashboardSettings)
let child: ReturnType<typeof start>
let logged = ''

const start = () =>
  Bun.spawn(['bun', join(import.meta.dir, '../../src/main.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: api.url,
      PORT: '0',
      SECRETS_KEY: secretsKey,
      LOG_LEVEL: 'debug',
      ...dashboardSettings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

const follow = async (stream: ReadableStream<Uint8Array>) => {
  for await (const chunk of stream) logged += new TextDecoder().decode(chunk)
}

/** The service of the child process, with its log. */
let logging: TestService

beforeAll(async () => {
  child = start()
  void follow(child.stdout)
  void follow(child.stderr)
  const url = await until(() => /dashboard +(http:\S+)\/dashboard\n/.exec(logged)?.[1], 20_000)
  logging = { ...api, service: { ...api.service, url } }
}, 30_000)
afterAll(async () => {
  child.kill('SIGTERM')
  await child.exited
})

const shown = (text: string, form: RegExp): string => form.exec(text)?.[0] ?? ''

/** Every value of every column of every table, as text. */
async function everyColumn(): Promise<string> {
  const tables = await api.sql`select relname from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`
  let text = ''
  for (const { relname } of tables) {
    const rows = await api.sql.unsafe(`select to_jsonb(t)::text as row from ${relname} as t`)
    text += rows.map(({ row }) => row).join('\n')
  }
  return text
}

async function everyPage(session: Session, hookId: string): Promise<string> {
  const paths = ['', '/keys', '/webhooks', `/webhooks/${hookId}`, '/events', '/connect', '/status']
  const pages = await Promise.all(paths.map(path => session.get(`/dashboard${path}`)))
  expect(pages.map(({ status }) => status)).toEqual(paths.map(() => 200))
  return pages.map(({ text }) => text).join('\n')
}

test('what is shown once is nowhere afterwards, and neither are password, session and settings', async () => {
  const hook = await factory.hook(api.sql)
  const session = await signInByForm(logging)
  const made = await session.submit('/dashboard/keys', { label: 'CRM', scope: 'read:leads' })
  const key = shown(made.text, /wda_\w{49}/)
  const rotated = await session.submit(`/dashboard/webhooks/${hook.id}/rotate`)
  const secret = shown(rotated.text, /whsec_[\w+/]{43}=/)
  expect([made.status, rotated.status, key !== '', secret !== '']).toEqual([200, 200, true, true])
  const wrong = await visitor(logging).post('/dashboard/sign-in', { password: 'geheimer Versuch' })
  expect([wrong.status, cookieFrom(wrong)]).toEqual([401, ''])
  const pages = await everyPage(session, hook.id)
  const columns = await everyColumn()
  await until(() => logged.includes('"status":401'))
  const token = session.cookie.split('=')[1] ?? ''
  const settings = [secretsKey, new URL(api.url).password, 'TOKEN-IN-A-PATH']
  for (const hidden of [key, secret, password, token, 'geheimer Versuch', ...settings]) {
    expect(hidden).not.toBe('')
    for (const place of [pages, columns, logged]) expect(place.includes(hidden)).toBe(false)
  }
  // Where they are to be: a digest, and a text that only SECRETS_KEY opens.
  expect(columns).toContain(key.slice(0, 12))
  expect(pages).toContain('DASHBOARD_PASSWORD')
})

test('a line in the log names the route, not what it is about', async () => {
  const session = await signIn(logging)
  const id = crypto.randomUUID()
  await session.get(`/dashboard/webhooks/${id}?done=geheim`)
  const line = await until(() => /.*webhooks\/\{id\}.*/.exec(logged)?.[0])
  expect(line).not.toContain(id)
  expect(logged).not.toContain('done=geheim')
})
