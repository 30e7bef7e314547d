// A data directory for an embedded server of a test. Others may enter it: in a closed one the server's
// files would go below /var/lib, when root runs the tests, and stay there.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export function makeDataDir(purpose: string): string {
  const dir = mkdtempSync(join(tmpdir(), `workspace-data-api-${purpose}-`))
  chmodSync(dir, 0o755)
  return dir
}

export const removeDataDir = (dir: string): void => rmSync(dir, { recursive: true, force: true })
