// The receiver of deliveries, as rows use it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import type { MeasuredReceipts } from './load/receiver.ts'
import { benchDir, start } from './processes.ts'

export type BenchReceiver = {
  port: number
  /** PEM, and the file that holds it. */
  ca: string
  caFile: string
  /** Of subscriber number 0, 1 and so on: each has an origin of its own. */
  url(number: number, path?: string): string
  /** Counts from 0 again. */
  begin(): Promise<void>
  /** Resolves when so many have arrived, with the moment the last of them did (Unix milliseconds). */
  reached(count: number): Promise<number>
  receipts(): Promise<MeasuredReceipts>
  /** The tar pit answers nothing; what can be down is. */
  hold(): Promise<void>
  /** They answer at once, also what the tar pit held. */
  release(): Promise<void>
}

export const originsMax = 51

// Far longer than any round.
const patienceMs = 120_000

/** Runs until the row is over. */
export async function openReceiver(bench: Bench): Promise<BenchReceiver> {
  const command = [process.execPath, 'bench/load/receiver.ts']
  const running = await bench.keep(
    start({ command, path: '/', env: { ORIGINS: String(originsMax) }, output: 'receiver.log' }),
  )
  const ask = async <Answer>(path: string): Promise<Answer> => {
    const signal = AbortSignal.timeout(patienceMs)
    return (await fetch(`http://127.0.0.1:${running.port}${path}`, { signal })).json() as Answer
  }
  const { ca, ports } = await ask<{ ca: string; ports: number[] }>('/')
  const caFile = join(benchDir, 'receiver_ca.pem')
  writeFileSync(caFile, ca)
  const receipts = () => ask<MeasuredReceipts>('/receipts')
  return {
    port: ports[0] ?? 0,
    ca,
    caFile,
    url: (number, path = '/hook') => `https://127.0.0.1:${ports[number]}${path}`,
    begin: () => ask('/begin'),
    reached: count =>
      ask<number>(`/reached?count=${count}`).catch(async () => {
        const { received } = await receipts()
        throw new Error(`${received} of ${count} deliveries arrived`)
      }),
    receipts,
    hold: () => ask('/hold'),
    release: () => ask('/release'),
  }
}
