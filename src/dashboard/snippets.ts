// What the page "Einrichten" offers to copy, with the addresses of this service in it.

export const readWithCurl = (origin: string): string =>
  `curl -H "Authorization: Bearer WDA_API_KEY" "${origin}/api/v1/leads?limit=5"
curl -H "Authorization: Bearer WDA_API_KEY" "${origin}/api/v1/events"`

export const subscribeWithCurl = (
  origin: string,
  { target = 'https://crm.example.com/workspace', label = 'CRM', source = 'api' } = {},
): string =>
  `curl -X POST "${origin}/api/v1/hooks" \\
  -H "Authorization: Bearer WDA_API_KEY" -H "Content-Type: application/json" \\
  -d '${JSON.stringify({ target_url: target, event_types: ['lead.created', 'analysis.completed'], label, source })}'`

export const sampleWithCurl = (origin: string): string =>
  `curl -H "Authorization: Bearer WDA_API_KEY" "${origin}/api/v1/hooks/sample?type=lead.created"`

export const typescriptReceiver = `import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { env } from 'node:process'

const secret = env.WDA_SIGNING_SECRET ?? ''

function isGenuine(headers: Record<string, unknown>, rawBody: Uint8Array): boolean {
  const timestamp = String(headers['x-service-timestamp'] ?? '')
  const given = Buffer.from(String(headers['x-service-signature'] ?? ''))
  // Not older, and not further ahead, than five minutes.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const digest = createHmac('sha256', secret).update(timestamp + '.').update(rawBody).digest('hex')
  const expected = Buffer.from('v1=' + digest)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const rawBody = Buffer.concat(chunks)
  if (!isGenuine(request.headers, rawBody)) return response.writeHead(401).end()
  const event = JSON.parse(rawBody.toString())
  // The same event may come twice: remember event.id.
  console.log(event.event_type, event.id)
  response.writeHead(204).end()
})
server.listen(Number(env.PORT ?? 8080))
`

export const pythonReceiver = `import hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WDA_SIGNING_SECRET"]

def is_genuine(headers, raw_body):
    timestamp = headers.get("X-Service-Timestamp", "")
    signature = headers.get("X-Service-Signature", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(SECRET.encode(), timestamp.encode() + b"." + raw_body, hashlib.sha256)
    return hmac.compare_digest(signature.encode(), b"v1=" + digest.hexdigest().encode())

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        genuine = is_genuine(self.headers, raw_body)
        if genuine:
            event = json.loads(raw_body)
            print(event["event_type"], event["id"], flush=True)  # the same event may come twice: remember its id
        self.send_response(204 if genuine else 401)
        self.end_headers()

HTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
`

const agentsUrl = (origin: string) => `${origin}/mcp`

/** Without a scope it would count only in the folder where it is run. */
export const claudeCode = (origin: string): string =>
  `claude mcp add --scope user --transport http workspace ${agentsUrl(origin)} --header "Authorization: Bearer WDA_API_KEY"`

export const cursorSettings = (origin: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        workspace: {
          url: agentsUrl(origin),
          headers: { Authorization: 'Bearer WDA_API_KEY' },
        },
      },
    },
    null,
    2,
  )
