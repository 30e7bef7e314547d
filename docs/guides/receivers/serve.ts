// A receiver to begin with: bun serve.ts SECRET [PORT]. It prints the genuine deliveries and refuses all else.
import { isGenuine } from './verify.ts'

const [secret = '', port = '8080'] = process.argv.slice(2)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  async fetch(request) {
    const body = new Uint8Array(await request.arrayBuffer())
    if (!isGenuine(secret, request.headers, body)) return new Response(null, { status: 401 })
    const event = JSON.parse(new TextDecoder().decode(body))
    process.stdout.write(`${event.event_type} ${event.id}\n`)
    return new Response(null, { status: 204 })
  },
})
process.stdout.write(`receiving at ${server.url}\n`)
