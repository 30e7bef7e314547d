// What the project is built on: licences that let everyone use it, exact versions, and every choice explained.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { read, root } from './sources.ts'

type Manifest = { name: string; license?: string | { type: string }; licenses?: { type: string }[] }

const allowed =
  /^(MIT|MIT-0|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|PostgreSQL|Unlicense|BlueOak-1\.0\.0|CC0-1\.0)$/

// Only tests use them: MPL-2.0 (changed in no file, shipped with nothing), PSF-2.0 (as free as MIT).
const exceptions = ['axe-core', 'argparse']

/** `MIT OR Apache-2.0` offers a choice, `MIT AND ISC` asks for both. */
function isAllowed({ license, licenses }: Manifest): boolean {
  const [first = ''] = [license, licenses].flat().filter(one => one !== undefined)
  return (typeof first === 'string' ? first : first.type)
    .replace(/[()]/g, '')
    .split(' OR ')
    .some(choice => choice.split(' AND ').every(one => allowed.test(one)))
}

test('every package installed has a licence that lets everyone use it', () => {
  const installed = [...new Bun.Glob('node_modules/**/package.json').scanSync(root)]
    .filter(path => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map(path => JSON.parse(read(path)) as Manifest)
    .filter(({ name }) => name !== undefined)
  expect(installed.length).toBeGreaterThan(100)
  const refused = installed.filter(one => !isAllowed(one)).map(({ name }) => name)
  expect([...new Set(refused)].sort()).toEqual(exceptions.toSorted())
})

test('every direct dependency has one exact version, and a line in dependencies.md', () => {
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const direct: Record<string, string> = { ...dependencies, ...devDependencies }
  const form = /^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
  expect(Object.entries(direct).filter(([, version]) => !form.test(version))).toEqual([])
  const page = read(join('docs/development', 'dependencies.md'))
  const named = [...page.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(.*?)`/g)].map(match => match[1] ?? ''),
  )
  expect(named.sort()).toEqual(Object.keys(direct).sort())
})
