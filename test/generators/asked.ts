// Whether a test of this folder runs: each installs packages and takes minutes, so it runs only when it is asked for.
import type { Generator } from './generators.ts'

const wanted = process.env.GENERATORS ?? ''
const isAsked = (name: string) => wanted === 'all' || (wanted !== '' && name.includes(wanted))

/** Why it does not run; undefined: it does. */
export function whyNot({ name, needs }: Pick<Generator, 'name' | 'needs'>): string | undefined {
  if (!isAsked(name)) return 'it installs packages: bun run generators'
  const absent = needs.filter(program => Bun.which(program) === null)
  return absent.length > 0 ? `there is no ${absent.join(', ')} here` : undefined
}
