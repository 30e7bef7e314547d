// The host's clock to a part of a millisecond, for moments that several processes compare.

/** Unix milliseconds. Set anew at every call, because the clock it is counted on drifts from the host's. */
export function openClock(): () => number {
  const before = Date.now()
  let tick = before
  while (tick === before) tick = Date.now()
  const origin = tick - performance.now()
  return () => origin + performance.now()
}
