// The examples of docs/operations/proxy.md are what the proxies read, where the programs are.
import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { read } from './sources.ts'

const dir = makeDataDir('proxy')
afterAll(() => removeDataDir(dir))

const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(
    read('docs/operations/proxy.md'),
  )?.[1] ?? ''

const place = (name: string, text: string): string => {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}

async function run(command: string[]) {
  const child = Bun.spawn(command, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] })
  const said = await new Response(child.stderr).text()
  return { code: await child.exited, said }
}

const skipped = (program: string) =>
  Bun.which(program) === null ? ` (skipped: there is no ${program} here)` : ''

test('the examples send what TRUSTED_PROXIES is for', () => {
  expect(block('nginx')).toContain('proxy_set_header X-Forwarded-For ')
  expect(block('nginx')).toContain('proxy_set_header X-Forwarded-Proto ')
  expect(block('nginx')).toContain('proxy_buffering off;')
  expect(block('caddy')).toContain('reverse_proxy 127.0.0.1:3000')
  for (const language of ['nginx', 'caddy'])
    expect(block(language)).toMatch(/GET.HEAD.POST.PUT.PATCH.DELETE.OPTIONS/)
})

test.skipIf(skipped('nginx') !== '')(`nginx takes its example${skipped('nginx')}`, async () => {
  const pair = await generate([{ name: 'commonName', value: 'workspace.example.org' }])
  const server = block('nginx')
    .replace('/etc/ssl/workspace.pem', place('proxy.pem', pair.cert))
    .replace('/etc/ssl/workspace.key', place('proxy.key', pair.private))
    .replace('listen 443', `listen unix:${join(dir, 'proxy.sock')}`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${dir}/${name};`)
    .join('\n')
  const file = place(
    'nginx.conf',
    `error_log stderr;\npid ${dir}/nginx.pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${server}}\n`,
  )
  const { code, said } = await run(['nginx', '-t', '-p', dir, '-c', file])
  expect([code, code === 0 ? '' : said]).toEqual([0, ''])
})

test.skipIf(skipped('caddy') !== '')(`Caddy takes its example${skipped('caddy')}`, async () => {
  const file = place('Caddyfile', block('caddy'))
  const { code, said } = await run(['caddy', 'adapt', '--adapter', 'caddyfile', '--config', file])
  expect([code, code === 0 ? '' : said]).toEqual([0, ''])
})
