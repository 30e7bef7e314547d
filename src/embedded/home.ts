// As whom the server runs, and where its files are: <dataDir>/postgres, or behind a link of that name when the server's account
// cannot get into dataDir.
import { existsSync } from 'node:fs'
import {
  chmod,
  lchown,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  rmdir,
  stat,
  symlink,
} from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, runProgram } from './process.ts'

export type Progress = (sentence: string) => void
export type Home = { path: string; cluster: string; account: Account }

/** Half-made things carry this prefix until they are renamed into place. */
export const partial = 'partial-'

const advice = 'start as an ordinary user or set DATABASE_URL.'

/** PostgreSQL refuses root: then it runs as the account that owns the files already, else as the account `nobody`. */
export async function chooseAccount(dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  for (const path of [join(dataDir, 'postgres', 'cluster'), dataDir]) {
    const owner = await stat(path).catch(() => undefined)
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  }
  const ids = await Promise.all(['-u', '-g'].map(id => runProgram('id', [id, 'nobody'])))
  const [uid, gid] = ids.map(({ output }) => Number(output))
  if (uid !== undefined && gid !== undefined && ids.every(({ ok }) => ok)) return { uid, gid }
  throw new Error(`PostgreSQL cannot run as root and there is no account nobody: ${advice}`)
}

export async function openHome(dataDir: string): Promise<Home> {
  const account = await chooseAccount(dataDir)
  const link = join(dataDir, 'postgres')
  // A link whose home is gone counts as none.
  if (!existsSync(link)) await makeHome(link, account)
  const path = await realpath(link)
  return { path, cluster: join(path, 'cluster'), account }
}

async function makeHome(link: string, account: Account): Promise<void> {
  await rm(link, { force: true })
  await mkdir(link, { recursive: true })
  if (await isOpened(link, account)) return
  await rmdir(link)
  // A new folder each time: the link alone shows whose it is.
  const path = await mkdtemp('/var/lib/workspace-data-api-')
  await symlink(path, link)
  if (!(await isOpened(path, account)))
    throw new Error(
      `PostgreSQL runs as user ${account.uid}, who cannot get into ${path}: ${advice}`,
    )
}

/** The folder stays ours, so that the account cannot put a link where we, as root, write. */
async function isOpened(path: string, account: Account): Promise<boolean> {
  const isOurs = account.uid === undefined
  await chmod(path, isOurs ? 0o700 : 0o711)
  // Asked as that account: modes alone do not tell. What we could make ourselves is open to us.
  return isOurs || (await runProgram('sh', ['-c', 'test -x "$1"', 'sh', path], { account })).ok
}

export async function removeHalfMade({ path }: Home): Promise<void> {
  // What an orphaned initdb still writes to may resist; the next start removes it.
  for (const name of await readdir(path))
    if (name.startsWith(partial))
      await rm(join(path, name), { recursive: true, force: true }).catch(() => {})
}

export async function giveTo(path: string, { uid, gid }: Account): Promise<void> {
  if (uid !== undefined && gid !== undefined) await lchown(path, uid, gid)
}
