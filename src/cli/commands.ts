// The table of commands. Each exits 0 on success and explains a failure on stderr: 2 for a mistake in the command line or
// the settings, 1 for any other.
import { environment, readConfig } from '../config/settings.ts'
import { ConfigError } from '../lib/config_error.ts'
import { version } from '../version.ts'
import { config, health, openapi } from './about.ts'
import { type Command, lineParts, readArguments } from './command.ts'
import { erase } from './erase.ts'
import { hookCommands } from './hooks.ts'
import { keyCommands } from './keys.ts'
import { listen } from './listen.ts'
import { advance, demo, migrateCommand, redact, rolesCommand } from './maintenance.ts'
import { progress, UsageError, write } from './output.ts'
import { serve } from './serve.ts'

const help: Command = { line: 'help', does: 'prints this', run: () => write(usageOf([])) }

export const commands: Command[] = [
  ...[serve, migrateCommand, rolesCommand, demo],
  ...keyCommands,
  ...hookCommands,
  ...[listen, redact, erase, advance, health, config, openapi, help],
]

const isBelow = (words: readonly string[]) => (command: Command) =>
  words.every((word, at) => lineParts(command).words[at] === word)

/** Those whose line begins with these words; all where none does. */
function usageOf(words: readonly string[]): string {
  const found = commands.filter(isBelow(words))
  const shown = found.length > 0 ? found : commands
  return ['Usage: workspace-data-api [COMMAND]', '']
    .concat(shown.map(({ line, does }) => `  ${line}\n      ${does}`))
    .join('\n')
}

const wordForm = /^[a-z]+$/

/** The command that a line names, and what follows its words. Throws UsageError. */
function find(args: string[]): [Command, string[]] {
  const found = commands.find(command => {
    const { words } = lineParts(command)
    return words.every((word, at) => args[at] === word)
  })
  if (found) return [found, args.slice(lineParts(found).words.length)]
  const [group = '', name = ''] = args
  const named = wordForm.test(name) ? `${group} ${name}` : group
  throw new UsageError(`There is no command ${named}.\n\n${usageOf([group])}`)
}

async function run(args: string[]): Promise<void> {
  const asked = args.findIndex(arg => arg === '--help' || arg === '-h')
  if (asked !== -1) return write(usageOf(args.slice(0, asked).filter(arg => wordForm.test(arg))))
  if (args[0] === '--version' || args[0] === '-v') return write(version)
  const [command, rest] = find(args)
  const given = readArguments(command, rest)
  // Of use where the configuration is mistaken, too.
  if (command === help) return write(usageOf([]))
  await command.run(given, readConfig(environment()))
}

/** Runs one command line; returns the exit code. */
export async function runCommand(args: string[]): Promise<number> {
  try {
    await run(args.length === 0 ? ['serve'] : args)
    return 0
  } catch (error) {
    progress(error instanceof Error ? error.message || error.name : String(error))
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1
  }
}
