// Reads a command's arguments strictly: an option nobody knows is a typo, and a typo must not pass.
import { parseArgs } from 'node:util'
import { UsageError } from './output.ts'

/** Named options that take a value, and what stands between them. Throws UsageError. */
export function readArguments<Name extends string>(
  args: string[],
  names: readonly Name[],
): { options: Partial<Record<Name, string>>; positionals: string[] } {
  const options = Object.fromEntries(names.map(name => [name, { type: 'string' as const }]))
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { options: values as Partial<Record<Name, string>>, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
