// A reader finds the page: no link leads nowhere, no page is left out of the list of pages, every file that is named exists.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesIn, pages, read, root } from './sources.ts'

const withoutCode = (text: string) => text.replaceAll(/```[\s\S]*?```/g, '')

/** The anchors of a page, as GitHub and its like make them of its headings. */
const anchorsOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )

const linksIn = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)

const targetOf = (page: string, link: string): string => {
  const [path = ''] = link.split('#')
  return path === '' ? page : relative(root, join(root, dirname(page), path))
}

function isDead(page: string, link: string): boolean {
  const [, anchor] = link.split('#')
  const target = targetOf(page, link)
  if (!existsSync(join(root, target))) return true
  if (anchor === undefined || !target.endsWith('.md')) return false
  return !anchorsOf(read(target)).includes(anchor)
}

test.each(pages)('$path has no link that leads nowhere', ({ path, text }) => {
  const links = linksIn(text).filter(link => !/^https?:/.test(link))
  expect(links.filter(link => isDead(path, link))).toEqual([])
  expect(isDead(path, '#nowhere') && isDead(path, 'nowhere.md')).toBe(true)
})

test('every page and file of docs is in a list of pages', () => {
  const lists = pages.filter(({ path }) => /README\.md$|copy_everything\.md$/.test(path))
  const listed = lists.flatMap(({ path, text }) => linksIn(text).map(link => targetOf(path, link)))
  const documents = filesIn('docs', '').map(({ path }) => path)
  expect(documents.length).toBeGreaterThan(35)
  expect(documents.filter(path => !listed.includes(path))).toEqual([])
})

test('every file that a page names exists', () => {
  const form = /`((?:src|sql|test|workers|scripts|docs|patches|deploy)\/[\w./@-]*)`/g
  // A query or a test may be named without its ending.
  const exists = (file: string) =>
    existsSync(join(root, file)) || [...new Bun.Glob(`${file}*`).scanSync(root)].length > 0
  const named = pages.flatMap(({ path, text }) =>
    [...text.matchAll(form)].map(([, file = '']) => ({ path, file })),
  )
  expect(named.filter(({ file }) => !exists(file))).toEqual([])
})
