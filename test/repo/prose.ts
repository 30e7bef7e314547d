// The words that are not used, over everything that people read: documentation, comments and texts. A word of a dialect
// costs a reader more than a longer sentence.
import { filesIn, read, type Source } from './sources.ts'

/** What is said in its place. */
export const unusedWords: Record<string, string> = {
  whoever: 'the client, the receiver, the operator: name the actor',
  whomever: 'name the actor',
  nobody: 'no process, no reader: name who',
  somebody: 'another process, the operator: name who',
  'in place of': 'instead of',
  beside: 'next to, in addition to',
  'hung on': 'added to',
  told: 'reported, announced, asked',
  'a million millions': 'a figure with an exponent',
}

const pattern = new RegExp(`(?<![\\w-])(${Object.keys(unusedWords).join('|')})(?![\\w-])`, 'gi')

// An account of that name runs the embedded PostgreSQL for root.
const account = /'nobody'|postgres or nobody/g

export const wordsIn = (text: string): string[] =>
  [
    ...text
      .replaceAll(account, '')
      .replaceAll(/\s*\n\s*(?:(?:\/\/|--|\*|#)\s)?/g, ' ')
      .matchAll(pattern),
  ].map(([word]) => word.toLowerCase())

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'sql/README.md'],
  ...['package.json', 'Dockerfile', '.editorconfig', 'bunfig.toml'],
].map(path => ({ path, text: read(path) }))

/** All that is read; schema.sql repeats the migrations. */
export const proseFiles = (): Source[] =>
  [
    ...pages,
    ...filesIn('docs', ''),
    ...filesIn('.github', ''),
    ...filesIn('scripts', ''),
    ...filesIn('src', ''),
    ...filesIn('workers', ''),
    ...filesIn('bench'),
    ...filesIn('test/support'),
    ...filesIn('sql', '.sql'),
  ].filter(({ path }) => path !== 'sql/schema.sql')

/** The unused words of each file that has any. */
export const filesWithUnusedWords = (files: readonly Source[]): Record<string, string[]> =>
  Object.fromEntries(
    files
      .map(({ path, text }) => [path, wordsIn(text)] as const)
      .filter(([, words]) => words.length),
  )
