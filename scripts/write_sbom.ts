// Writes sbom.cdx.json: what a production installation consists of, in the form of CycloneDX. bun run sbom; a release does it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  dependenciesIn,
  type Package,
  packageIn,
  packageRoot,
  productionPackages,
} from './production_packages.ts'

const referenceOf = ({ name, version }: Package) =>
  `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`

const componentOf = (one: Package) => ({
  type: 'library',
  'bom-ref': referenceOf(one),
  name: one.name,
  version: one.version,
  purl: referenceOf(one),
  ...(one.license !== undefined && { licenses: [{ expression: one.license }] }),
})

const byReference = (one: { ref: string }, other: { ref: string }) => (one.ref < other.ref ? -1 : 1)

/** The bill of materials of the packages that are installed. */
export function makeBill() {
  const packages = [...productionPackages()]
  const own = packageIn(packageRoot)
  const components = new Map(packages.map(([, one]) => [referenceOf(one), componentOf(one)]))
  const edges = new Map(
    [[packageRoot, own] as const, ...packages].map(([folder, one]) => [
      referenceOf(one),
      [...new Set(dependenciesIn(folder).map(inner => referenceOf(packageIn(inner))))].sort(),
    ]),
  )
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...componentOf(own), type: 'application' } },
    components: [...components.entries()].sort().map(([, component]) => component),
    dependencies: [...edges].map(([ref, dependsOn]) => ({ ref, dependsOn })).sort(byReference),
  }
}

if (import.meta.main)
  writeFileSync(join(packageRoot, 'sbom.cdx.json'), `${JSON.stringify(makeBill(), null, 2)}\n`)
