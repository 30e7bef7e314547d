// The commands of docs/operations/backup.md, with a dump that has an extension which only a superuser may create. On
// PostgreSQL 15, because its pg_dump is the one that is usually here.
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateDatabase } from '../../src/api/start.ts'
import { startPostgres15 } from '../blackbox/postgres_15.ts'
import * as factory from '../support/database/factory.ts'
import { administer, withDatabaseName } from '../support/database/server.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/operations/backup.md'), 'utf8')
const commands = [...page.matchAll(/^```(?:sh|bash)\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => text,
)
const dump = commands.find(text => text.includes('pg_dump ')) ?? ''
const restore = (commands.find(text => text.includes('pg_restore ')) ?? '').replace(
  'bun start',
  'echo started',
)

const server = Bun.which('pg_dump') ? await startPostgres15() : undefined
const dir = mkdtempSync(join(tmpdir(), 'restore-'))
afterAll(async () => {
  rmSync(dir, { recursive: true })
  await server?.stop()
})

const run = (command: string, url: string) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['bash', '-c', command], {
    cwd: dir,
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: url },
  })
  return { exitCode, out: stdout.toString(), said: stderr.toString() }
}

test.skipIf(!server)(
  'a workspace next to pg_stat_statements is restored by an owner who is no superuser',
  async () => {
    const url = server?.url ?? ''
    const owner = new URL(withDatabaseName(url, 'restored'))
    owner.username = 'workspace_owner'
    const admin = administer(url)
    await admin`create extension pg_stat_statements`
    await migrateDatabase(url)
    await factory.lead(admin, { name: 'Erika', parsed_data: { einkommen: 4500, ort: 'Köln' } })
    expect(run(dump, url)).toMatchObject({ exitCode: 0 })
    await admin.unsafe('create role workspace_owner login')
    await admin.unsafe('create database restored owner workspace_owner template template0')
    await admin.end()

    // The recipe without its list shows why there is one.
    const plain = run(restore.replace(/-L <\(.*\) /, ''), owner.href)
    expect(plain).toMatchObject({ out: '', said: expect.stringContaining('pg_stat_statements') })
    expect(plain.exitCode).not.toBe(0)

    const again = administer(url)
    await again.unsafe('drop database restored')
    await again.unsafe('create database restored owner workspace_owner template template0')
    await again.end()
    expect(run(restore, owner.href)).toEqual({ exitCode: 0, out: 'started\n', said: '' })
    const restored = administer(owner.href)
    const rows = await restored`select name, parsed_data::text as document from leads`
    expect(rows.map(row => ({ ...row }))).toEqual([{ name: 'Erika', document: '{"ort": "Köln"}' }])
    await restored.end()
  },
  60_000,
)
