// What goes wrong, one thing at a time.
import type { Random } from '../fuzz/seeded.ts'
import type { Cluster } from './cluster.ts'
import type { Processes } from './processes.ts'

export const disturbanceKinds = [
  'process killed',
  'connections ended',
  'PostgreSQL restarted',
  'PostgreSQL crashed',
  'standby promoted',
] as const

export type DisturbanceKind = (typeof disturbanceKinds)[number]

export type DisturbedSystem = { cluster: Cluster; processes: Processes; random: Random }

type Disturbance = {
  prepare?(system: DisturbedSystem): Promise<void>
  /** Calls `harmed` when the harm is done; resolves when nothing but recovery is left to do. */
  happen(system: DisturbedSystem, harmed: () => void): Promise<void>
}

const restarted = (how: 'fast' | 'immediate'): Disturbance => ({
  async happen({ cluster }, harmed) {
    await cluster.end(how)
    harmed()
    await cluster.start()
  },
})

export const disturbances: Record<DisturbanceKind, Disturbance> = {
  'process killed': {
    async happen({ processes, random }, harmed) {
      const place = random.below(processes.urls().length)
      await processes.kill(place)
      harmed()
      await processes.start(place)
    },
  },
  'connections ended': {
    async happen({ cluster }, harmed) {
      await cluster.onPrimary(
        sql => sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      )
      harmed()
    },
  },
  'PostgreSQL restarted': restarted('fast'),
  'PostgreSQL crashed': restarted('immediate'),
  'standby promoted': {
    prepare: ({ cluster }) => cluster.attachStandby(),
    happen: ({ cluster }, harmed) => cluster.failOver(harmed),
  },
}
