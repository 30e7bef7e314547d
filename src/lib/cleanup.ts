// Closes what was opened, in reverse order, also after a later part failed to open.

export type Cleanup = {
  /** How to close a part that has just been opened. */
  add(step: () => unknown): void
  /** Runs every step, also after one that throws; throws the first error at the end. */
  close(): Promise<void>
}

export function openCleanup(): Cleanup {
  const steps: (() => unknown)[] = []
  return {
    add: step => void steps.push(step),
    async close() {
      const errors: unknown[] = []
      for (const step of steps.toReversed())
        try {
          await step()
        } catch (error) {
          errors.push(error)
        }
      if (errors.length > 0) throw errors[0]
    },
  }
}
