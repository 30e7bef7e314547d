// The embedded PostgreSQL server: one cluster per directory, made on the first start and reused
// afterwards, also after a kill. What it is used for is not known here.

import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { chooseAccount } from './account.ts'
import { findBinaries } from './binaries.ts'
import { type Home, openHome, removeHalfMade } from './home.ts'
import { initCluster } from './init.ts'
import { acquireLock, type Lock } from './lock.ts'
import { startServer } from './server.ts'

export type EmbeddedPostgres = {
  url: string
  /** Resolves with a sentence when the server ends without a call of stop. */
  lost: Promise<string>
  stop(): Promise<void>
}

type Options = { dataDir: string; onProgress?: (sentence: string) => void }

export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const onProgress = options.onProgress ?? (() => {})
  const locks: Lock[] = []
  try {
    await mkdir(dataDir, { recursive: true })
    locks.push(await acquireLock(dataDir))
    const home = await openHome(dataDir, await chooseAccount(dataDir))
    // A copied directory shares its server's home through the link inside it.
    locks.push(await acquireLock(home.path))
    const { url, server } = await startInHome(home, onProgress)
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= server.stop().finally(() => release(locks))
      return stopped
    }
    const lost = new Promise<string>(resolve => {
      void server.ended.then(() => {
        if (stopped === undefined)
          resolve(`The embedded PostgreSQL has ended: see ${server.log}, and start again.`)
      })
    })
    return { url, lost, stop }
  } catch (error) {
    await release(locks)
    throw explained(error, dataDir)
  }
}

async function startInHome(home: Home, onProgress: (sentence: string) => void) {
  await removeHalfMade(home)
  const binaries = await findBinaries(home)
  const password = await initCluster(home, binaries, onProgress)
  const server = await startServer(home, binaries, onProgress)
  onProgress(`PostgreSQL is running on 127.0.0.1:${server.port} with its files in ${home.path}.`)
  return { server, url: `postgres://postgres:${password}@127.0.0.1:${server.port}/workspace` }
}

async function release(locks: Lock[]): Promise<void> {
  for (const lock of locks) await lock.release()
}

/** Errors of the file system name neither the purpose nor a way out. */
function explained(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  return new Error(
    `The embedded PostgreSQL cannot use ${dataDir} (${error.message}): start as the user it belongs to, choose another directory, or set DATABASE_URL.`,
    { cause: error },
  )
}
