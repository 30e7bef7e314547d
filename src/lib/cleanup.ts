// Closes what was opened, in reverse order, also after a later part failed to open.

export type Cleanup = {
  /** How to close a part that has just been opened. */
  add(step: () => unknown): void
  close(): Promise<void>
}

export function openCleanup(): Cleanup {
  const steps: (() => unknown)[] = []
  return {
    add: step => void steps.push(step),
    async close() {
      for (const step of steps.toReversed()) await step()
    },
  }
}
