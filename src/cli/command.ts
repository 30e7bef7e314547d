// What a command is: one line of usage, which help, the docs and the reading of its arguments follow, and what it does. Results
// go to stdout, everything on the way to stderr.
import { parseArgs } from 'node:util'
import type { Config } from '../config/settings.ts'
import { errorCodeOf } from '../lib/error_code.ts'
import { parseMoment } from '../model/moment.ts'
import { readPlainInteger } from '../operations/parameters.ts'

/** A mistake in the command line; shown without a stack, exit code 2. */
export class UsageError extends Error {}

/** What a line was given; an option without a value is a flag. */
export type Given = {
  places: string[]
  options: Partial<Record<string, string>>
  flags: Partial<Record<string, boolean>>
}

export type Command = {
  /** `hooks test ID [--type T]`: words, places of arguments, options; one in brackets may be left out. */
  line: string
  does: string
  run(given: Given, config: Config): Promise<void> | void
}

// Which one of several in parentheses is given is for the command to check.
const optionForm = /([[(|] ?)?--([a-z-]+)(?: ([A-Z][A-Z,]*))?/g

/** What a line of usage is made of. */
export function lineParts({ line }: Command) {
  const options = [...line.matchAll(optionForm)].map(([, optional, name = '', value]) => ({
    name,
    type: value === undefined ? ('boolean' as const) : ('string' as const),
    required: optional === undefined,
  }))
  const bare = line.replace(optionForm, '')
  return {
    words: bare.match(/\b[a-z]+\b/g) ?? [],
    places: bare.match(/\b[A-Z]+\b/g) ?? [],
    options,
  }
}

/** Throws UsageError for an unknown option, a missing value, an argument too many or too few. */
export function readArguments(command: Command, args: string[]): Given {
  const { places, options } = lineParts(command)
  const refuse = (reason: string) => new UsageError(`${reason}\nUsage: ${command.line}`)
  const read = () => {
    try {
      const known = Object.fromEntries(options.map(({ name, type }) => [name, { type }]))
      return parseArgs({ args, options: known, allowPositionals: true, strict: true })
    } catch (error) {
      // What follows is advice for another case.
      throw refuse(`${(error as Error).message.split(/\. |\.?\n/)[0]}.`)
    }
  }
  const { values, positionals } = read()
  const missing = options.find(({ name, required }) => required && values[name] === undefined)
  if (missing) throw refuse(`--${missing.name} is missing.`)
  if (positionals.length < places.length) throw refuse(`${places[positionals.length]} is missing.`)
  if (positionals.length > places.length)
    throw refuse(`${positionals[places.length]} is one argument too many.`)
  return { places: positionals, options: values, flags: values } as Given
}

export function readMoment(text: string, option: string): Date {
  const read = parseMoment(text)
  if (read === undefined)
    throw new UsageError(`--${option} takes a moment, such as 2026-03-01T09:00:00Z.`)
  return new Date(read)
}

export function readCursor(text: string, option: string): number {
  const cursor = readPlainInteger(text)
  if (cursor === undefined) throw new UsageError(`--${option} takes the cursor of an event.`)
  return cursor
}

// `| head` has read enough: that is no failure.
const forgiveClosedPipe = (error: unknown) => {
  if (errorCodeOf(error) !== 'EPIPE') throw error
}

export const write = (text: string): void => {
  if (process.stdout.listenerCount('error', forgiveClosedPipe) === 0)
    process.stdout.on('error', forgiveClosedPipe)
  process.stdout.write(`${text}\n`)
}

export const progress = (text: string): void => void process.stderr.write(`${text}\n`)

// A text of others: no line of its own making, no command to the terminal.
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')

/** What JSON leaves as it is must not command a terminal either. */
export const writeJson = (value: object, indent?: number): void =>
  write(JSON.stringify(value, null, indent).replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd'))

/** On a terminal a line that is redrawn in place; without one nothing but the finished line. */
export const progressOf =
  (label: string) =>
  (done: number, total: number): void => {
    const { isTTY } = process.stderr
    const end = done >= total ? '\n' : ''
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100)
    if (isTTY || end) process.stderr.write(`${isTTY ? '\r' : ''}${label} ${percent} %${end}`)
  }
