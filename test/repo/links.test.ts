// Whoever opens the README finds their page: no link leads nowhere, and no section is left out of the table of readers.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { read, root } from './sources.ts'

const pages = ['README.md', 'sql/README.md']

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

/** Why a link of a page leads nowhere; undefined: it leads somewhere. */
function deadness(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : relative(root, join(root, dirname(page), path))
  if (!existsSync(join(root, target))) return `${link}: no such file`
  if (anchor === undefined || !target.endsWith('.md')) return undefined
  return headings(read(target), '#+').map(anchorOf).includes(anchor)
    ? undefined
    : `${link}: no such heading`
}

describe.each(pages)('%s', page => {
  test('has no link that leads nowhere', () => {
    const links = linksIn(read(page)).filter(link => !/^https?:/.test(link))
    expect(links.length).toBeGreaterThan(5)
    expect(links.map(link => deadness(page, link)).filter(Boolean)).toEqual([])
  })

  test('has no two headings with one anchor', () => {
    const anchors = headings(read(page), '#+').map(anchorOf)
    expect(anchors).toEqual([...new Set(anchors)])
  })
})

test('every section of the README is somebody’s page', () => {
  const [, table = ''] = /\n## Who are you\n\n([\s\S]*?)\n\n/.exec(read('README.md')) ?? []
  const sections = headings(read('README.md'), '##').map(heading => `#${anchorOf(heading)}`)
  expect(sections.length).toBeGreaterThan(10)
  expect(sections.filter(anchor => !linksIn(table).includes(anchor))).toEqual(['#who-are-you'])
})

test('every section of sql/README.md is in its table', () => {
  const text = read('sql/README.md')
  const [, table = ''] = /\n\n(\| You want to[\s\S]*?)\n\n/.exec(text) ?? []
  const sections = headings(text, '##').map(heading => `#${anchorOf(heading)}`)
  expect(sections.filter(anchor => !linksIn(table).includes(anchor))).toEqual([])
})

test('the check itself finds what leads nowhere', () => {
  expect(anchorOf('What to do by hand, and what not')).toBe('what-to-do-by-hand-and-what-not')
  expect(deadness('sql/README.md', '../README.md#webhooks')).toBeUndefined()
  expect(deadness('README.md', '#nowhere')).toBe('#nowhere: no such heading')
  expect(deadness('README.md', 'sql/nowhere.md')).toBe('sql/nowhere.md: no such file')
})
