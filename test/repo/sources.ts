// The project's own files, for the tests that hold them against the house rules.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dir, '../..')

export type Source = { path: string; text: string }

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Files below a folder, sorted, with paths from the root. */
export function filesIn(folder: string, ending = '.ts'): Source[] {
  return [...new Bun.Glob(`**/*${ending}`).scanSync(join(root, folder))]
    .filter(name => !name.includes('node_modules/'))
    .toSorted()
    .map(name => `${folder}/${name}`)
    .map(path => ({ path, text: read(path) }))
}

/** What runs in production. */
export const sources = [...filesIn('src'), ...filesIn('workers')].filter(
  ({ path }) => !path.endsWith('.d.ts'),
)

/** What a reader reads. */
export const pages: Source[] = [
  ...[
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'sql/README.md',
    'deploy/README.md',
  ].map(path => ({
    path,
    text: read(path),
  })),
  ...filesIn('docs', '.md'),
]

/** The blocks of a language on all pages. */
export const blocks = (language: string): Source[] =>
  pages.flatMap(({ path, text }) =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, block = '']) => ({ path, text: block }),
    ),
  )

const nested = ['api', 'observability']

/** The part of a file: its folder in src, or one below `api` and `observability`. */
export const partOf = (path: string): string => {
  const [top = '', name = '', below = ''] = path.split('/')
  if (top !== 'src') return top
  if (nested.includes(name) && !below.endsWith('.ts')) return `${name}/${below}`
  return name.replace(/\.ts$/, '')
}
