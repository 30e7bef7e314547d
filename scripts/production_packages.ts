// The packages that production needs, as they are installed; those of other platforms are not among them.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Package = {
  name: string
  version: string
  license?: string
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export const packageRoot = join(import.meta.dir, '..')

export const packageIn = (folder: string): Package =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Where a package finds another one: inside itself, or further up. */
function folderOf(name: string, from: string): string | undefined {
  for (let folder = from; folder.startsWith(packageRoot); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name)
    if (existsSync(join(found, 'package.json'))) return found
  }
  return undefined
}

/** The folders of the packages that the one in `folder` depends on. */
export const dependenciesIn = (folder: string): string[] => {
  const { dependencies, optionalDependencies } = packageIn(folder)
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap(
    name => folderOf(name, folder) ?? [],
  )
}

/** By the folder where it is installed. */
export function productionPackages(): Map<string, Package> {
  const found = new Map<string, Package>()
  const visit = (folder: string) => {
    for (const inner of dependenciesIn(folder)) {
      if (found.has(inner)) continue
      found.set(inner, packageIn(inner))
      visit(inner)
    }
  }
  visit(packageRoot)
  return found
}
