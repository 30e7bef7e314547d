// Processes of the service, each of which can be killed and gets a successor.
import { join } from 'node:path'
import { firstLine } from '../receiver/receiver.ts'

export type Processes = {
  /** Where they listen. */
  urls(): string[]
  /** At once, whatever it is doing. */
  kill(place: number): Promise<void>
  /** A successor of one that was killed. */
  start(place: number): Promise<void>
  /** How many ended without having been killed. */
  lost(): number
  stop(): Promise<void>
}

type Process = { child: Bun.Subprocess<'ignore', 'pipe', 'inherit'>; url: string; killed: boolean }

/** Every process is started with these words. */
export async function startProcesses(count: number, args: string[]): Promise<Processes> {
  const processes: Process[] = []
  let lost = 0

  async function start(place: number) {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'process.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const started = { child, url: '', killed: false }
    processes[place] = started
    void child.exited.then(() => {
      if (!started.killed) lost += 1
    })
    started.url = (await firstLine(child.stdout)).trim()
  }

  async function kill(place: number) {
    const doomed = processes[place]
    if (!doomed) return
    doomed.killed = true
    doomed.child.kill('SIGKILL')
    await doomed.child.exited
  }

  const places = Array.from({ length: count }, (_, place) => place)
  await Promise.all(places.map(start))
  return {
    urls: () => processes.map(({ url }) => url),
    kill,
    start,
    lost: () => lost,
    async stop() {
      await Promise.all(places.map(kill))
    },
  }
}
