// What was opened is closed in the opposite order, also when a later part could not be opened.

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
