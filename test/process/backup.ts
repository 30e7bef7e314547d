// Ways to back a database up and restore it as another one.
import { expect } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDataDir, removeDataDir } from '../support/database/data_dir.ts'
import { createDatabase, databaseUrl, dropDatabase } from '../support/database/database.ts'
import { administer } from '../support/database/server.ts'

type BackupMethod = {
  name: string
  /** Why it cannot be used here. */
  missing?: string
  /** Copies the database of this name; returns the name of the copy. */
  copy(name: string): Promise<string>
}

type Place = { cwd?: string; env?: Record<string, string> }

async function run(command: string[], place: Place = {}): Promise<string> {
  const child = Bun.spawn(command, { ...place, stdio: ['ignore', 'pipe', 'inherit'] })
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

const page = readFileSync(join(import.meta.dir, '../../docs/operations/backup.md'), 'utf8')

/** The shell of docs/operations/backup.md below a heading, without the start of the service. */
const recipe = (heading: string): string =>
  new RegExp(`\n## ${heading}\n[\\s\\S]*?\`\`\`sh\n([\\s\\S]*?)( &&\\s+bun start)?\n\`\`\``).exec(
    page,
  )?.[1] ?? ''

async function ask(database: string, statement: string) {
  const sql = administer(databaseUrl(database))
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

async function dumpAndRestore(programs: string, name: string): Promise<string> {
  const dir = makeDataDir('dump')
  const restored = await createDatabase('template0')
  const follow = (heading: string, database: string) =>
    run(['bash', '-c', `set -eo pipefail\n${recipe(heading)}`], {
      cwd: dir,
      env: { PATH: `${programs}:${process.env.PATH}`, DATABASE_URL: databaseUrl(database) },
    })
  try {
    await ask(name, 'create extension if not exists pg_stat_statements')
    await follow('What to keep', name)
    await follow('Restore', restored)
    // Only a superuser may create that extension, so the recipe leaves it out.
    const extensions = await ask(restored, 'select extname from pg_extension order by extname')
    expect(extensions.map(({ extname }) => extname)).toEqual(['pg_trgm', 'plpgsql'])
    return restored
  } catch (error) {
    await dropDatabase(restored)
    throw error
  } finally {
    removeDataDir(dir)
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
