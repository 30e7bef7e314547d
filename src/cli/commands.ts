// The table of commands. Each exits 0 on success and explains a failure on stderr: 2 for a mistake in the command line or
// the settings, 1 for any other.
import { environment, readConfig } from '../config/settings.ts'
import { ConfigError } from '../lib/config_error.ts'
import { version } from '../version.ts'
import { type Command, lineParts, progress, readArguments, UsageError, write } from './command.ts'
import { hookCommands } from './hooks.ts'
import { keyCommands } from './keys.ts'
import { listen } from './listen.ts'
import { aboutCommands, dataCommands, schemaCommands } from './maintenance.ts'
import { serve } from './serve.ts'

const help: Command = { line: 'help', does: 'prints this', run: () => write(usageOf([])) }

export const commands: Command[] = [
  ...[serve, ...schemaCommands, ...keyCommands, ...hookCommands],
  ...[listen, ...dataCommands, ...aboutCommands, help],
]

/** Those whose line begins with these words; all where none does. */
function usageOf(given: readonly string[]): string {
  const isMeant = (command: Command) =>
    given.every((word, at) => lineParts(command).words[at] === word)
  const found = commands.some(isMeant) ? commands.filter(isMeant) : commands
  return ['Usage: workspace-data-api [COMMAND]', '']
    .concat(found.map(({ line, does }) => `  ${line}\n      ${does}`))
    .join('\n')
}

const wordForm = /^[a-z]+$/

async function run(args: string[]): Promise<void> {
  const asked = args.findIndex(arg => arg === '--help' || arg === '-h')
  if (asked !== -1) return write(usageOf(args.slice(0, asked).filter(arg => wordForm.test(arg))))
  if (args[0] === '--version' || args[0] === '-v') return write(version)
  const command = commands.find(one => lineParts(one).words.every((word, at) => args[at] === word))
  const [group = '', name = ''] = args
  if (command === undefined)
    throw new UsageError(
      `There is no command ${wordForm.test(name) ? `${group} ${name}` : group}.\n\n${usageOf([group])}`,
    )
  const given = readArguments(command, args.slice(lineParts(command).words.length))
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
