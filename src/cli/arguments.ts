// Reads a command's arguments strictly: an unknown option is a typo, and a typo must not pass.
import { parseArgs } from 'node:util'
import { UsageError } from './output.ts'

/** Named options that take a value, flags that take none, and what stands between them. Throws UsageError. */
export function readArguments<Name extends string>(
  args: string[],
  names: readonly Name[],
  positionalsMax = 0,
  flagNames: readonly string[] = [],
): { options: Partial<Record<Name, string>>; positionals: string[]; flags: string[] } {
  const options: Record<string, { type: 'string' | 'boolean' }> = Object.fromEntries([
    ...names.map(name => [name, { type: 'string' as const }]),
    ...flagNames.map(name => [name, { type: 'boolean' as const }]),
  ])
  try {
    const { values, positionals, tokens } = parseArgs({
      args,
      options,
      allowPositionals: true,
      tokens: true,
    })
    const given = tokens.flatMap(token => (token.kind === 'option' ? [token.name] : []))
    const repeated = given.find((name, place) => given.indexOf(name) < place)
    if (repeated) throw new UsageError(`--${repeated} was given more than once.`)
    if (positionals.length > positionalsMax)
      throw new UsageError(`${positionals.at(-1)} is one argument too many.`)
    return {
      options: values as Partial<Record<Name, string>>,
      positionals,
      flags: flagNames.filter(name => values[name]),
    }
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError((error as Error).message)
  }
}
