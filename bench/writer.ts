// Starts the writer of events and waits until it is done.
import { join } from 'node:path'
import type { WriterPlan, Written } from './load/writer.ts'

const program = join(import.meta.dir, 'load/writer.ts')

export async function writeEvents(plan: WriterPlan): Promise<Written> {
  const child = Bun.spawn([process.execPath, program, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error('the writer failed')
  return JSON.parse(output) as Written
}
