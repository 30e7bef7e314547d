// A reader finds the page: no link leads nowhere, and no page is left out of the list of pages.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesIn, read, root } from './sources.ts'

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'sql/README.md'],
  ...filesIn('docs', '.md').map(({ path }) => path),
]

const withoutCode = (text: string) => text.replaceAll(/```[\s\S]*?```/g, '')

const headings = (text: string, level: string): string[] =>
  [...withoutCode(text).matchAll(new RegExp(`^${level} (.+)$`, 'gm'))].map(match => match[1] ?? '')

/** The anchor that GitHub and its like give a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

const linksIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(match => match[1] ?? '')

/** The file that a link of a page leads to, from the root. */
const targetOf = (page: string, link: string): string => {
  const [path = ''] = link.split('#')
  return path === '' ? page : relative(root, join(root, dirname(page), path))
}

/** Why a link of a page leads nowhere; undefined: it leads somewhere. */
function deadness(page: string, link: string): string | undefined {
  const [, anchor] = link.split('#')
  const target = targetOf(page, link)
  if (!existsSync(join(root, target))) return `${link}: no such file`
  if (anchor === undefined || !target.endsWith('.md')) return undefined
  return headings(read(target), '#+').map(anchorOf).includes(anchor)
    ? undefined
    : `${link}: no such heading`
}

describe.each(pages)('%s', page => {
  test('has no link that leads nowhere', () => {
    const links = linksIn(read(page)).filter(link => !/^https?:/.test(link))
    expect(links.map(link => deadness(page, link)).filter(Boolean)).toEqual([])
  })

  test('has no two headings with one anchor', () => {
    const anchors = headings(read(page), '#+').map(anchorOf)
    const repeated = anchors.filter((anchor, place) => anchors.indexOf(anchor) !== place)
    // Each version of a changelog has the same three.
    expect(page === 'CHANGELOG.md' ? [] : repeated).toEqual([])
  })
})

test('every page is in the list of pages, or in that of its folder', () => {
  const lists = [
    'docs/README.md',
    'docs/decisions/README.md',
    'docs/guides/receivers/README.md',
    'docs/guides/copy_everything.md',
  ]
  const listed = lists.flatMap(list => linksIn(read(list)).map(link => targetOf(list, link)))
  const documents = filesIn('docs', '')
    .map(({ path }) => path)
    .filter(path => !path.endsWith('.png'))
  expect(documents.length).toBeGreaterThan(35)
  expect(documents.filter(path => !listed.includes(path))).toEqual(['docs/README.md'])
})

test('every section of sql/README.md is in its table', () => {
  const text = read('sql/README.md')
  const [, table = ''] = /\n\n(\| You want to[\s\S]*?)\n\n/.exec(text) ?? []
  const sections = headings(text, '##').map(heading => `#${anchorOf(heading)}`)
  expect(sections.filter(anchor => !linksIn(table).includes(anchor))).toEqual([])
})

test('the check itself finds what leads nowhere', () => {
  expect(anchorOf('What to do by hand, and what not')).toBe('what-to-do-by-hand-and-what-not')
  expect(deadness('sql/README.md', '../docs/guides/writing.md#contacts')).toBeUndefined()
  expect(deadness('README.md', '#nowhere')).toBe('#nowhere: no such heading')
  expect(deadness('README.md', 'sql/nowhere.md')).toBe('sql/nowhere.md: no such file')
})
