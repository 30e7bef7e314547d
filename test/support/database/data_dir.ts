// A data directory for an embedded server of a test. Others may enter it: in a closed one the server's
// files would go below /var/lib, when root runs the tests, and stay there.
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const memoryMin = 4 * 1024 ** 3

/** A directory in memory where there is one with room: a database for each test file is many small files. */
export function memoryDir(): string | undefined {
  if (!existsSync(memory)) return undefined
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= memoryMin ? memory : undefined
}

export function makeDataDir(purpose: string, parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, `workspace-data-api-${purpose}-`))
  chmodSync(dir, 0o755)
  return dir
}

export const removeDataDir = (dir: string): void => rmSync(dir, { recursive: true, force: true })
