// Makes the cluster on the first start: under another name, and renamed when complete, so a cluster
// that is there is whole and has the database.

import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { giveTo, type Home, partial } from './home.ts'
import { type ExitResult, runProgram } from './process.ts'

const limitMs = 60_000

/** Answers the superuser's password. */
export async function initCluster(
  home: Home,
  binaries: Binaries,
  onProgress: (sentence: string) => void,
): Promise<string> {
  if (!(await stat(home.cluster).catch(() => undefined))) {
    onProgress(`Creating the database files in ${home.path}.`)
    await makeCluster(home, binaries)
  }
  return (await readFile(home.passwordFile, 'utf8')).trim()
}

async function makeCluster(home: Home, binaries: Binaries): Promise<void> {
  const { account } = home
  await writeFile(home.passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 })
  await giveTo(home.passwordFile, account)
  const half = await mkdtemp(join(home.path, partial))
  await giveTo(half, account)
  const args = [...initArgs(home), '--pgdata', half]
  const init = (more: string[]) =>
    runProgram(binaries.initdb, [...args, ...more], { account, limitMs })
  // Without it pg_trgm takes umlauts for spaces, and a search for Müller compares many leads in vain.
  const made = await init(['--lc-ctype=C.UTF-8'])
  const isUnknown = !made.ok && made.output.includes('invalid locale name')
  refuseUnlessOk(isUnknown ? await init([]) : made)
  refuseUnlessOk(
    await runProgram(
      binaries.postgres,
      ['--single', '-D', half, '-c', 'exit_on_error=on', 'postgres'],
      {
        account,
        limitMs,
        input: 'create database workspace\n',
      },
    ),
  )
  await rename(half, home.cluster)
}

/** The built-in C.UTF-8 needs no locale of the machine, and still knows upper and lower case. */
function initArgs(home: Home): string[] {
  return [
    '--username=postgres',
    '--auth=scram-sha-256',
    `--pwfile=${home.passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
}

function refuseUnlessOk({ ok, output }: ExitResult): void {
  if (ok) return
  const reason = output.split('\n').find(line => /error|FATAL|could not/.test(line))
  throw new Error(
    `PostgreSQL could not create its files (${reason ?? `no success within ${limitMs / 1000} s`}): put that right and start again, or set DATABASE_URL.`,
  )
}
