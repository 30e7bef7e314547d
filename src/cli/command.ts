// What a command is: one line of usage, which help, the docs and the reading of its arguments follow, and what it does.
import { parseArgs } from 'node:util'
import type { Config } from '../config/settings.ts'
import type { Database } from '../db/database.ts'
import { dateTimeParameter, readPlainInteger } from '../operations/parameters.ts'
import { withReadyDatabase } from './database.ts'
import { UsageError } from './output.ts'

/** What a line was given; an option without a value is a flag. */
export type GivenArguments = {
  places: string[]
  options: Partial<Record<string, string>>
  flags: Partial<Record<string, true>>
}

export type Command = {
  /** `hooks test ID [--type T]`: words, places of arguments, options; one in brackets may be left out. */
  line: string
  does: string
  run(given: GivenArguments, config: Config): Promise<void> | void
}

type Option = { name: string; type: 'string' | 'boolean'; required: boolean }

/** What a line of usage is made of. */
export function lineParts({ line }: Command) {
  const words: string[] = []
  const places: string[] = []
  const options: Option[] = []
  const tokens = line.split(' ').filter(token => token !== '|')
  // Which one of several in parentheses is given is for the command to check.
  let isChoice = false
  for (const [at, token] of tokens.entries()) {
    const text = token.replace(/[[\]()]/g, '')
    if (token.startsWith('(')) isChoice = true
    const isValue = tokens[at - 1]?.includes('--') ?? false
    if (text.startsWith('--')) {
      const type = /^[A-Z]/.test(tokens[at + 1] ?? '') ? 'string' : 'boolean'
      options.push({ name: text.slice(2), type, required: !token.startsWith('[') && !isChoice })
    } else if (/^[a-z]/.test(text)) words.push(text)
    else if (!isValue) places.push(text)
    if (token.endsWith(')')) isChoice = false
  }
  return { words, places, options }
}

/** Throws UsageError for an unknown option, a missing value, an argument too many or too few. */
export function readArguments(command: Command, args: string[]): GivenArguments {
  const { places, options } = lineParts(command)
  const refuse = (reason: string) => new UsageError(`${reason}\nUsage: ${command.line}`)
  const known = Object.fromEntries(options.map(({ name, type }) => [name, { type }]))
  const read = () => {
    try {
      return parseArgs({ args, options: known, allowPositionals: true, strict: true })
    } catch (error) {
      // What follows is advice for another case.
      const [first = ''] = (error as Error).message.split(/\. |\.?\n/)
      throw refuse(`${first}.`)
    }
  }
  const { values, positionals } = read()
  const missing = options.find(({ name, required }) => required && values[name] === undefined)
  if (missing) throw refuse(`--${missing.name} is missing.`)
  if (positionals.length < places.length) throw refuse(`${places[positionals.length]} is missing.`)
  if (positionals.length > places.length)
    throw refuse(`${positionals[places.length]} is one argument too many.`)
  return { places: positionals, options: values, flags: values } as GivenArguments
}

export function readMoment(text: string, option: string): Date {
  const read = dateTimeParameter('').parse(text)
  if (read === undefined)
    throw new UsageError(`--${option} takes a moment, such as 2026-03-01T09:00:00Z.`)
  return new Date(read ?? Number.NaN)
}

export function readCursor(text: string, option: string): number {
  const cursor = readPlainInteger(text)
  if (cursor === undefined) throw new UsageError(`--${option} takes the cursor of an event.`)
  return cursor
}

/** Reads what a line was given, before a database is opened: a mistake is one whether there is a database or not. */
type Work = (given: GivenArguments, config: Config) => (database: Database) => Promise<void>

/** A command that works on the database and answers at once. */
export const onDatabase = (line: string, does: string, work: Work): Command => ({
  line,
  does,
  run: (given, config) => {
    const prepared = work(given, config)
    return withReadyDatabase(config, ({ database }) => prepared(database))
  },
})
