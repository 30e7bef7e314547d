// Which account the server runs as. PostgreSQL refuses root, so root hands it to another account.

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, runProgram } from './process.ts'

export async function chooseAccount(dataDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  return (
    (await ownerOf(join(dataDir, 'postgres', 'cluster'))) ??
    (await named(await ownerOf(dataDir))) ??
    (await lookUp('postgres')) ??
    (await lookUp('nobody')) ??
    refuse()
  )
}

async function ownerOf(path: string): Promise<Account | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined
}

/** initdb works only for accounts that have a name. */
async function named(account: Account | undefined): Promise<Account | undefined> {
  return account && (await runProgram('id', ['-un'], { account })).ok ? account : undefined
}

async function lookUp(name: string): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([
    runProgram('id', ['-u', name]),
    runProgram('id', ['-g', name]),
  ])
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined
}

function refuse(): never {
  throw new Error(
    'PostgreSQL cannot run as root and there is no account postgres or nobody: start as an ordinary user or set DATABASE_URL.',
  )
}
