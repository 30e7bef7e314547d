// Directives: the lines in the head of an .sql file that programs read, such as `-- @uses leads_pkey, leads_active_idx`.
// All else in a head is for people. A reason may follow after a colon.

const form = /^-- @(\w+) +(\S.*)$/

/** The head of a file: the comments above its first statement. */
export const headOf = (text: string): string => /^(?:--.*\n)*/.exec(text)?.[0] ?? ''

/** The values of each directive of a head, those of several lines together. Throws for one that is not known. */
export function readDirectives<Name extends string>(
  head: string,
  known: readonly Name[],
): Record<Name, string[]> {
  const found = Object.fromEntries(known.map(name => [name, [] as string[]]))
  for (const line of head.split('\n').filter(line => line.startsWith('-- @'))) {
    const [, name = '', values = ''] = form.exec(line) ?? []
    const list = found[name]
    if (!list) throw new Error(`the head says "${line}"; there are @${known.join(', @')}`)
    const named = values.replace(/:.*/, '').split(',')
    list.push(...named.map(value => value.trim()).filter(value => value !== ''))
  }
  return found as Record<Name, string[]>
}
