// A reverse proxy as operators put one in front of several processes: it asks all for /readyz with 50 ms in between, sends
// requests in turn to those that are ready, keeps connections, and tries nothing twice.
export type Balancer = { url: string; use(targets: string[]): void; close(): void }

const lookMs = 50

export function openBalancer(first: string[]): Balancer {
  let targets = first
  let ready = first
  let turn = 0

  const look = async () => {
    const looked = await Promise.all(
      targets.map(async target => {
        const { ok } = await fetch(`${target}/readyz`).catch(() => ({ ok: false }))
        return ok ? [target] : []
      }),
    )
    ready = looked.flat()
  }
  let closed = false
  // One look after the other: an old one that ends late must not bring back who has left.
  void (async () => {
    while (!closed) {
      await look()
      await Bun.sleep(lookMs)
    }
  })()

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const target = ready[turn++ % ready.length]
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
    use(given) {
      targets = given
    },
    close() {
      closed = true
      void server.stop(true)
    },
  }
}
