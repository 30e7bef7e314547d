// What the project is built on: licences that let everybody use it, exact versions, and every choice explained.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { read, root } from './sources.ts'

type Manifest = { name?: string; version?: string; license?: unknown; licenses?: unknown }

const allowed = [
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'],
  ...['PostgreSQL', 'Unlicense', 'BlueOak-1.0.0', 'CC0-1.0'],
]

const exceptions: Record<string, string> = {
  'axe-core':
    'MPL-2.0, changed in no file and shipped with nothing; only tests use it, to look at the pages',
  argparse: 'PSF-2.0, as free as MIT; only tests use it, through a YAML reader of the validators',
}

const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies',
  Record<string, string>
>
const direct = { ...dependencies, ...devDependencies }

/** Folders of packages below a node_modules folder, those inside packages too. */
function packageFolders(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => !name.startsWith('.'))
    .flatMap(name =>
      name.startsWith('@')
        ? readdirSync(join(folder, name)).map(inner => `${name}/${inner}`)
        : name,
    )
    .flatMap(name => [join(folder, name), ...packageFolders(join(folder, name, 'node_modules'))])
    .filter(path => existsSync(join(path, 'package.json')))
}

const installed = packageFolders(join(root, 'node_modules')).map(
  path => JSON.parse(read(`${path.slice(root.length + 1)}/package.json`)) as Manifest,
)

const licenceOf = ({ license, licenses }: Manifest): string => {
  const [first] = [license, licenses].flat().filter(one => one !== undefined)
  return typeof first === 'string' ? first : ((first as { type?: string })?.type ?? 'none')
}

/** `MIT OR Apache-2.0` offers a choice, `MIT AND ISC` asks for both. */
const isAllowed = (licence: string): boolean =>
  licence
    .replace(/[()]/g, '')
    .split(' OR ')
    .some(choice => choice.split(' AND ').every(one => allowed.includes(one)))

test('every package installed has a licence that lets everybody use it', () => {
  expect(installed.length).toBeGreaterThan(Object.keys(direct).length)
  const others = installed
    .filter(one => !isAllowed(licenceOf(one)) && !((one.name ?? '') in exceptions))
    .map(one => `${one.name}@${one.version}: ${licenceOf(one)}`)
  expect(others).toEqual([])
})

test('every exception is still installed, and for tests only', () => {
  const names = installed.map(({ name }) => name)
  expect(Object.keys(exceptions).filter(name => !names.includes(name))).toEqual([])
  expect(Object.keys(exceptions).filter(name => name in dependencies)).toEqual([])
})

/** `npm:@scope/name@1.2.3` installs a second version of a package under a name of its own. */
const versionOf = (wanted: string) => wanted.replace(/^npm:.+@/, '')

// Programs for one kind of machine; on others they are not installed, and the tests that need them say so.
const platformBound = (name: string) => /-(linux|darwin|win32)-\w+$/.test(name)

test('every direct dependency is pinned to one exact version, which is the one installed', () => {
  for (const [name, wanted] of Object.entries(direct)) {
    const version = versionOf(wanted)
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
    if (platformBound(name) && !existsSync(join(root, 'node_modules', name))) continue
    const manifest = JSON.parse(read(`node_modules/${name}/package.json`)) as Manifest
    expect([name, manifest.version]).toEqual([name, version])
  }
})

test('docs/development/dependencies.md names every direct dependency', () => {
  const page = read('docs/development/dependencies.md')
  const named = (name: string) =>
    new RegExp(`(?<![\\w@/-])${name.replace(/[./-]/g, '\\$&')}(?![\\w/-])`).test(page)
  expect(Object.keys(direct).filter(name => !named(name))).toEqual([])
  const listed = [...page.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(.*?)`/g)].map(match => match[1] ?? ''),
  )
  expect(listed.filter(name => !(name in direct))).toEqual([])
})

test('the licence check reads choices and combinations', () => {
  expect(['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC'].map(isAllowed)).toEqual([true, true, true])
  expect(['GPL-3.0', 'MIT AND GPL-3.0', 'none', 'SEE LICENSE IN X'].some(isAllowed)).toBe(false)
})
