// A command in this process, which is quicker than one of its own. commands.test.ts tests how a program ends.
import { spyOn } from 'bun:test'
import { runCommand } from '../../src/cli/commands.ts'

/** Its exit code, what it wrote to stdout, and what to stderr. */
export async function runHere(args: string[], settings: Record<string, string> = {}) {
  const [before, out, said] = [{ ...process.env }, [] as string[], [] as string[]]
  const keep = (lines: string[]) => (text: unknown) => lines.push(String(text)) > 0
  const spies = [
    spyOn(process.stdout, 'write').mockImplementation(keep(out)),
    spyOn(process.stderr, 'write').mockImplementation(keep(said)),
  ]
  Object.assign(process.env, settings)
  try {
    const code = await runCommand(args)
    return { code, out: out.join('').trimEnd(), said: said.join('').trimEnd() }
  } finally {
    process.env = before
    for (const spy of spies) spy.mockRestore()
  }
}
