// Directories to point SQL_DIR at, and variants of one query to put there.
import { afterEach } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { queries } from '../../../src/db/queries.ts'

/** Call at the top of a file; what it returns makes a directory with these files, removed after the test. */
export function useSqlDirs() {
  const dirs: string[] = []
  afterEach(() => {
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true })
  })
  return (files: Record<string, string>): string => {
    const dir = mkdtempSync(join(tmpdir(), 'sql-dir-'))
    dirs.push(dir)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, path)), { recursive: true })
      writeFileSync(join(dir, path), text)
    }
    return dir
  }
}

export const signalsPath = 'signals/list_signals.sql'

/** list_signals with one passage replaced. */
export function changedSignals(passage: string, replacement: string): Record<string, string> {
  const original = queries.listSignals.text
  if (!original.includes(passage)) throw new Error(`list_signals.sql has no ${passage}`)
  return { [signalsPath]: original.replace(passage, replacement) }
}

export const oldestFirst = {
  [signalsPath]: queries.listSignals.text.replaceAll(/(detected_at|\bid) desc/g, '$1'),
}
