// Closes what was opened, in reverse order, also after a later part failed to open.

export type Closing = {
  /** How to close a part that has just been opened. */
  add(step: () => unknown): void
  close(): Promise<void>
}

export function openClosing(): Closing {
  const steps: (() => unknown)[] = []
  return {
    add: step => void steps.push(step),
    async close() {
      for (const step of steps.toReversed()) await step()
    },
  }
}
