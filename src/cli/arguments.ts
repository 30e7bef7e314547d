// Reads a command's arguments strictly: an unknown option is a typo, and a typo must not pass.
import { parseArgs } from 'node:util'
import { UsageError } from './output.ts'

type Options = Record<string, { type: 'string' | 'boolean' }>
type Token = {
  name: string
  rawName: string
  value: string | undefined
  inlineValue: boolean | undefined
}

/** Why an option is refused; undefined: it is not. */
function refusalOf(options: Options, { name, rawName, value, inlineValue }: Token) {
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (!option || rawName !== `--${name}`) {
    const names = Object.keys(options).map(one => `--${one}`)
    return `${rawName} is no option of this command, which takes ${names.join(', ') || 'none'}.`
  }
  if (option.type === 'boolean')
    return value === undefined ? undefined : `${rawName} takes no value.`
  if (value === undefined) return `${rawName} needs a value.`
  return value.length > 1 && value.startsWith('-') && !inlineValue
    ? `${rawName} needs a value; one that begins with - is written ${rawName}=VALUE.`
    : undefined
}

/** Named options that take a value, flags that take none, and what stands between them. Throws UsageError. */
export function readArguments<Name extends string>(
  args: string[],
  names: readonly Name[],
  positionalsMax = 0,
  flagNames: readonly string[] = [],
): { options: Partial<Record<Name, string>>; positionals: string[]; flags: string[] } {
  const options: Options = Object.fromEntries([
    ...names.map(name => [name, { type: 'string' as const }]),
    ...flagNames.map(name => [name, { type: 'boolean' as const }]),
  ])
  const parsed = parseArgs({ args, options, allowPositionals: true, tokens: true, strict: false })
  const { values, positionals } = parsed
  const given = parsed.tokens.filter(token => token.kind === 'option')
  for (const [place, token] of given.entries()) {
    const refusal = refusalOf(options, token)
    if (refusal) throw new UsageError(refusal)
    if (given.findIndex(({ name }) => name === token.name) < place)
      throw new UsageError(`--${token.name} was given more than once.`)
  }
  if (positionals.length > positionalsMax)
    throw new UsageError(`${positionals.at(-1)} is one argument too many.`)
  return {
    options: values as Partial<Record<Name, string>>,
    positionals,
    flags: flagNames.filter(name => values[name]),
  }
}
