// A receiver to begin with: bun serve.ts SECRET [PORT [CERT KEY]]. It prints the genuine deliveries and refuses all else.
// With the files of a certificate and its key it speaks https, as a webhook needs.
import { isGenuine } from './verify.ts'

const [secret = '', port = '8080', cert, key] = process.argv.slice(2)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  ...(cert && key && { tls: { cert: Bun.file(cert), key: Bun.file(key) } }),
  async fetch(request) {
    const body = new Uint8Array(await request.arrayBuffer())
    if (!isGenuine(secret, request.headers, body)) {
      process.stdout.write('refused: signed with another secret, or older than five minutes\n')
      return new Response(null, { status: 401 })
    }
    const event = JSON.parse(new TextDecoder().decode(body))
    process.stdout.write(`${event.event_type} ${event.id}\n`)
    return new Response(null, { status: 204 })
  },
})
process.stdout.write(`receiving at ${server.url}\n`)
