// The entry of the program and of the binary: finds the command and runs it.
import { runCommand } from './cli/commands.ts'

process.exitCode = await runCommand(process.argv.slice(2))
