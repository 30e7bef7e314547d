// Where the server's files are: <dataDir>/postgres, or behind a link of that name when the server's
// account cannot get into dataDir.

import { createHash } from 'node:crypto'
import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  rmdir,
  symlink,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Account, runProgram } from './process.ts'

export type Home = { path: string; cluster: string; passwordFile: string; account: Account }

/** Half-made things carry this prefix until they are renamed into place. */
export const partial = 'partial-'

export async function openHome(dataDir: string, account: Account): Promise<Home> {
  const path = (await existingHome(dataDir, account)) ?? (await newHome(dataDir, account))
  return { path, cluster: join(path, 'cluster'), passwordFile: join(path, 'password'), account }
}

export async function removeHalfMade(home: Home): Promise<void> {
  for (const name of await readdir(home.path)) {
    if (!name.startsWith(partial)) continue
    // What an orphaned initdb still writes to may resist; the next start removes it.
    await rm(join(home.path, name), { recursive: true, force: true }).catch(() => {})
  }
}

export async function giveTo(path: string, account: Account): Promise<void> {
  if (account.uid !== undefined && account.gid !== undefined) {
    await lchown(path, account.uid, account.gid)
  }
}

async function existingHome(dataDir: string, account: Account): Promise<string | undefined> {
  const link = join(dataDir, 'postgres')
  const path = await realpath(link).catch((error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'ENOENT') throw error
  })
  if (path === undefined || (await canEnter(path, account))) return path
  throw new Error(
    `User ${account.uid}, who must run PostgreSQL instead of root, cannot get into ${path}: let that user in, start as that user, or set DATABASE_URL.`,
  )
}

async function newHome(dataDir: string, account: Account): Promise<string> {
  const link = join(dataDir, 'postgres')
  await rm(link, { force: true })
  await mkdir(link)
  if (await prepare(link, account)) return await realpath(link)
  const elsewhere = await homeElsewhere(dataDir, account)
  await symlink(elsewhere, link)
  return elsewhere
}

/** Always a new folder: the link is the only proof of ownership, so no other's rows are reused. */
async function homeElsewhere(dataDir: string, account: Account): Promise<string> {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const places = [
    `/var/lib/workspace-data-api/${hash}-`,
    join(tmpdir(), `workspace-data-api-${hash}-`),
  ]
  for (const place of places) {
    const path = await makeFolder(place).catch(() => undefined)
    if (path !== undefined && (await prepare(path, account))) return path
  }
  throw new Error(
    `User ${account.uid}, who must run PostgreSQL instead of root, cannot get into ${dataDir}, /var/lib or ${tmpdir()}: start as an ordinary user or set DATABASE_URL.`,
  )
}

async function makeFolder(place: string): Promise<string> {
  const parent = dirname(place)
  // Answers undefined when it exists already; a strict umask would close a new one to the account.
  if (await mkdir(parent, { recursive: true })) await chmod(parent, 0o755)
  return await mkdtemp(place)
}

/** The folder stays ours, so that the account cannot put a link where we, as root, write. */
async function prepare(path: string, account: Account): Promise<boolean> {
  await chmod(path, account.uid === undefined ? 0o700 : 0o711)
  if (await canEnter(path, account)) return true
  await rmdir(path)
  return false
}

/** Asked as that account: modes alone do not tell. What we could make ourselves is open to us. */
async function canEnter(path: string, account: Account): Promise<boolean> {
  if (account.uid === undefined) return true
  return (await runProgram('sh', ['-c', 'test -x "$1"', 'sh', path], { account })).ok
}
