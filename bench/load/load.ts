// Starts the load process and hands it plans, one at a time.
import { join } from 'node:path'
import type { Alternate, Alternated, Outcome, Plan, Saturate, Saturated } from './plan.ts'

export type Load = {
  saturate(plan: Omit<Saturate, 'kind'>): Promise<Saturated>
  alternate(plan: Omit<Alternate, 'kind'>): Promise<Alternated>
  stop(): Promise<void>
}

export function startLoad(): Load {
  let settle: ((outcome: Outcome) => void) | undefined
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts')], {
    stdio: ['ignore', 'inherit', 'inherit'],
    ipc: outcome => settle?.(outcome as Outcome),
    onExit: () => settle?.({ error: 'the load process ended' }),
  })
  async function carryOut<Result>(plan: Plan): Promise<Result> {
    const outcome = await new Promise<Outcome>(resolve => {
      settle = resolve
      child.send(plan)
    })
    if ('error' in outcome) throw new Error(`load: ${outcome.error}`)
    return outcome as Result
  }
  return {
    saturate: plan => carryOut({ kind: 'saturate', ...plan }),
    alternate: plan => carryOut({ kind: 'alternate', ...plan }),
    async stop() {
      child.kill()
      await child.exited
    },
  }
}
