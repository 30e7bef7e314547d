// Ways to back a database up and restore it as another one.
import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, databaseUrl, dropDatabase } from '../support/database/database.ts'
import { administer } from '../support/database/server.ts'

type BackupMethod = {
  name: string
  /** Why it cannot be used here. */
  missing?: string
  /** Copies the database of this name; returns the name of the copy. */
  copy(name: string): Promise<string>
}

async function run(command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const out = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`)
  return out
}

/** Directories that may hold PostgreSQL's programs: the PATH's, and those of Debian's packages. */
function programDirs(): string[] {
  const packages = '/usr/lib/postgresql'
  const versions = (() => {
    try {
      return readdirSync(packages)
    } catch {
      return []
    }
  })()
  return [
    ...(process.env.PATH ?? '').split(':'),
    ...versions.map(version => join(packages, version, 'bin')),
  ]
}

async function majorOf(program: string): Promise<number> {
  return Number(/ (\d+)/.exec(await run([program, '--version']))?.[1])
}

async function serverMajor(): Promise<number> {
  const sql = administer(process.env.TEST_DATABASE_URL ?? '')
  try {
    const [row] = await sql`select current_setting('server_version_num') as version`
    return Math.floor(Number(row?.version) / 10_000)
  } finally {
    await sql.end()
  }
}

/** The directory of a pg_dump that can read the server; undefined: there is none. */
async function dumpDir(server: number): Promise<string | undefined> {
  for (const dir of new Set(programDirs())) {
    const program = Bun.which('pg_dump', { PATH: dir })
    if (program !== null && (await majorOf(program)) >= server) return dir
  }
  return undefined
}

async function dumpAndRestore(dir: string, name: string): Promise<string> {
  const file = join(tmpdir(), `${name}.dump`)
  const restored = await createDatabase('template0')
  try {
    await run([
      join(dir, 'pg_dump'),
      '--format=custom',
      `--file=${file}`,
      `--dbname=${databaseUrl(name)}`,
    ])
    const target = `--dbname=${databaseUrl(restored)}`
    const options = ['--exit-on-error', '--no-owner', '--no-privileges']
    await run([join(dir, 'pg_restore'), ...options, target, file])
    return restored
  } catch (error) {
    await dropDatabase(restored)
    throw error
  } finally {
    rmSync(file, { force: true })
  }
}

export async function backupMethods(): Promise<BackupMethod[]> {
  const server = await serverMajor()
  const dir = await dumpDir(server)
  return [
    { name: 'a copy of the files', copy: name => createDatabase(name) },
    {
      name: 'pg_dump',
      ...(dir === undefined && {
        missing: ` (skipped: no pg_dump of version ${server} or newer is here)`,
      }),
      copy: name => dumpAndRestore(dir ?? '', name),
    },
  ]
}
