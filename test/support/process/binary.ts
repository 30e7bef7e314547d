// Builds the binary as `bun run build` does, into a directory of the test's.
import { join } from 'node:path'

export async function buildBinary(dir: string): Promise<string> {
  const file = join(dir, 'workspace-data-api')
  const build = Bun.spawn([process.execPath, 'run', 'build', `--outfile=${file}`], {
    cwd: join(import.meta.dir, '../../..'),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = await new Response(build.stderr).text()
  if ((await build.exited) !== 0) throw new Error(`the build failed:\n${said}`)
  return file
}
