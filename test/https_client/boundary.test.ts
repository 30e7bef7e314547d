// The HTTPS client is a module of its own: it knows nothing of deliveries, and the rest of the product knows one file.
import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { type Source, sources } from '../repo/sources.ts'

const folder = 'src/https_client/'
const publicFile = `${folder}send.ts`
const allowed = [
  'src/lib/timeout.ts',
  'src/model/networks.ts',
  'src/model/target_url.ts',
  'src/runtime/lookup.ts',
  'src/version.ts',
]

/** Imports of types too, which the rules of test/repo/imports.test.ts leave free. */
const importsOf = ({ path, text }: Source): string[] =>
  [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) =>
    specifier.startsWith('.') ? join(dirname(path), specifier) : specifier,
  )

const isInside = ({ path }: Source) => path.startsWith(folder)

test('it imports its own files, the runtime, a time limit, and what checks and looks up addresses', () => {
  const imported = sources.filter(isInside).flatMap(importsOf)
  expect(imported).toContain('node:tls')
  expect(
    imported.filter(
      path => !path.startsWith(folder) && !path.startsWith('node:') && !allowed.includes(path),
    ),
  ).toEqual([])
})

test('other files import only its public file', () => {
  const imported = sources
    .filter(source => !isInside(source))
    .flatMap(importsOf)
    .filter(path => path.startsWith(folder))
  expect([...new Set(imported)]).toEqual([publicFile])
})
