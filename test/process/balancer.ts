// A reverse proxy as operators put one in front of several processes: it asks each for /readyz with 50 ms in between,
// sends requests in turn to those that are ready, keeps connections, and tries nothing twice.
export type Balancer = {
  url: string
  add(target: string): void
  sendsTo(target: string): boolean
  close(): void
}

const lookMs = 50

export function openBalancer(): Balancer {
  let ready: string[] = []
  let turn = 0
  let closed = false

  // Each by itself, one look after the other: a target that is slow to answer hides nothing about another, and an old
  // look that ends late does not bring back a target that has left.
  async function watch(target: string) {
    while (!closed) {
      const { ok } = await fetch(`${target}/readyz`).catch(() => ({ ok: false }))
      const others = ready.filter(other => other !== target)
      ready = ok ? [...others, target] : others
      await Bun.sleep(lookMs)
    }
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const target = ready[turn++ % ready.length]
      if (target === undefined) return new Response('no target is ready', { status: 503 })
      const { method, headers } = request
      try {
        const answer = await fetch(`${target}${pathname}${search}`, { method, headers })
        return new Response(await answer.arrayBuffer(), { status: answer.status })
      } catch (error) {
        return new Response(`${target}: ${error}`, { status: 502 })
      }
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    add: target => void watch(target),
    sendsTo: target => ready.includes(target),
    close() {
      closed = true
      void server.stop(true)
    },
  }
}
