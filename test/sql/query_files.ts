// The query files a test may look at: those of each manifest, those on disk, and directories to point SQL_DIR at.
import { afterEach } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { type QueryName, queries } from '../../src/db/queries.ts'
import type { QueryFile } from '../../src/db/query_file.ts'
import { roleOptionsFile } from '../../src/db/roles.ts'
import { demoFiles } from '../../src/demo/load.ts'

export const sqlDir = join(import.meta.dir, '../../sql')

export const serviceQueries = Object.entries<QueryFile>(queries) as [QueryName, QueryFile][]
export const serviceFiles: QueryFile[] = serviceQueries.map(([, file]) => file)

type OtherManifest = {
  files: QueryFile[]
  /** Paths of files that run as they stand. */
  scripts: string[]
  /** Whether the first script makes what the files need. */
  prepares?: boolean
}

/** Manifests in addition to the service's, by the folder of sql/ they own: each file is checked for form. */
export const otherManifests: Record<string, OtherManifest> = {
  roles: { files: [roleOptionsFile], scripts: ['roles/grant_roles'] },
  demo: {
    files: Object.values(demoFiles),
    scripts: ['demo/make_functions'],
    prepares: true,
  },
}

const others = Object.entries(otherManifests)
const scripts = others.flatMap(([, manifest]) => manifest.scripts)

/** Every file of every manifest. */
export const allFiles: QueryFile[] = [
  ...serviceFiles,
  ...others.flatMap(([, manifest]) => manifest.files),
]

// Migrations and functions have a manifest of their own; a folder of otherManifests is looked into.
const apart = ['migrations', 'functions', 'demo'].filter(folder => !(folder in otherManifests))

export const filesOnDisk = (): string[] =>
  [...new Glob('**/*.sql').scanSync(sqlDir)]
    .map(path => path.slice(0, -'.sql'.length))
    .filter(path => !apart.includes(path.split('/')[0] ?? ''))
    .filter(path => path !== 'schema' && !scripts.includes(path))
    .sort()

/** What must run before the files of the other manifests can be prepared. */
export const setupTexts = (): string[] =>
  others.flatMap(([, manifest]) =>
    manifest.scripts
      .slice(0, manifest.prepares ? 1 : 0)
      .map(path => readFileSync(join(sqlDir, `${path}.sql`), 'utf8')),
  )

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

export const oldestFirst = {
  [signalsPath]: queries.listSignals.text.replaceAll(/(detected_at|\bid) desc/g, '$1'),
}
