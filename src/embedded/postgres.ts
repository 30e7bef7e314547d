// The embedded PostgreSQL server: one cluster per directory, made on the first start and reused afterwards, also after a kill.
import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { findPrograms, openCluster } from './cluster.ts'
import { openHome, type Progress, removeHalfMade } from './home.ts'
import { startServer } from './server.ts'

export type EmbeddedPostgres = {
  url: string
  /** Resolves with a sentence when the server ends without a call of stop. */
  lost: Promise<string>
  stop(): Promise<void>
}

type Options = { dataDir: string; onProgress?: Progress }

export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const { onProgress = () => {} } = options
  const dataDir = resolve(options.dataDir)
  try {
    await mkdir(dataDir, { recursive: true })
    const home = await openHome(dataDir)
    const bin = await findPrograms(home)
    const password = await openCluster(home, bin, onProgress)
    const server = await startServer(home, bin, dataDir, onProgress)
    const { port, log } = server
    await removeHalfMade(home)
    onProgress(`PostgreSQL is running on 127.0.0.1:${port} with its files in ${home.path}.`)
    let stopped: Promise<void> | undefined
    const stop = () => (stopped ??= server.stop())
    const lost = new Promise<string>(resolve => {
      void server.ended.then(() => {
        if (stopped === undefined)
          resolve(`The embedded PostgreSQL has ended: see ${log}, and start again.`)
      })
    })
    return { url: `postgres://postgres:${password}@127.0.0.1:${port}/workspace`, lost, stop }
  } catch (error) {
    throw explained(error, dataDir)
  }
}

/** Errors of the file system name neither the purpose nor a way out. */
function explained(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error
  return new Error(
    `The embedded PostgreSQL cannot use ${dataDir} (${error.message}): start as the user it belongs to, choose another directory, or set DATABASE_URL.`,
    { cause: error },
  )
}
