// Stands in front of a service and adds a key to every request, for clients that can send none.
export type KeyProxy = { url: string; stop(): Promise<void> }

export function openKeyProxy(target: string, key: string): KeyProxy {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${key}`)
      const body = request.body && (await request.arrayBuffer())
      return await fetch(target + pathname + search, { method: request.method, headers, body })
    },
  })
  return { url: `http://localhost:${server.port}`, stop: () => server.stop(true) }
}
