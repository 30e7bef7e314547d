// A limit on how long something may take.

export class TimeoutError extends Error {}

/** Settles as the promise does, or fails with TimeoutError after so many milliseconds; what the promise does then is ignored. */
export async function withTimeout<Value>(
  promise: Promise<Value>,
  milliseconds: number,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new TimeoutError(`no answer within ${milliseconds} ms`))
    timer = setTimeout(giveUp, milliseconds)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
