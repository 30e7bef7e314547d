// Receivers that serve a bounded number of connections at once, such as one process for each: a handshake waits there until
// another connection ends. It may be one of ours that is unused.

// No receiver that accepts connections takes as long for a handshake.
const lateMs = 1_000
const lookMs = 250

export type Crowds = {
  /** A handshake to the host begins. Returns what is to be called when it is over. */
  begin(host: string): () => void
  /** A handshake to the host is late: a connection that is not in use is to be closed, not kept. */
  isCrowded(host: string): boolean
}

type Crowd = { begun: Set<{ at: number }>; late: number; timer: ReturnType<typeof setInterval> }

/** Every quarter of a second `giveBack` is called with the hosts where handshakes are late, and how many of them. */
export function openCrowds(giveBack: (host: string, count: number) => void): Crowds {
  const crowds = new Map<string, Crowd>()

  function look(host: string, crowd: Crowd) {
    const lateSince = performance.now() - lateMs
    crowd.late = 0
    for (const { at } of crowd.begun) if (at < lateSince) crowd.late += 1
    if (crowd.late > 0) giveBack(host, crowd.late)
  }

  function open(host: string): Crowd {
    const timer = setInterval(() => look(host, crowd), lookMs)
    const crowd: Crowd = { begun: new Set(), late: 0, timer }
    crowds.set(host, crowd)
    return crowd
  }

  return {
    begin(host) {
      const crowd = crowds.get(host) ?? open(host)
      const handshake = { at: performance.now() }
      crowd.begun.add(handshake)
      return () => {
        crowd.begun.delete(handshake)
        if (crowd.begun.size > 0) return
        clearInterval(crowd.timer)
        crowds.delete(host)
      }
    },
    isCrowded: host => (crowds.get(host)?.late ?? 0) > 0,
  }
}
