// A server that does nothing but answer a body of the given size: what the load process can ask for at most.
const body = `{"api_version":"v1","data":"${'x'.repeat(Number(process.argv[2]) - 30)}"}`
const headers = { 'content-type': 'application/json; charset=utf-8' }

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  fetch: () => new Response(body, { headers }),
})
process.on('SIGTERM', () => server.stop(true))
