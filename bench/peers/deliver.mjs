// Sends one delivery, for peers that are queues: signed by the very code the service signs with, over connections
// that are kept, with the client that SENDER names.
import { readFileSync } from 'node:fs'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { Agent, request as undiciRequest } from 'undici'
import { signedHeaders, signingKeys } from '../../src/delivery/signature.ts'

const connections = Number(process.env.CONCURRENT_JOBS)
const ca = readFileSync(process.env.CA_FILE, 'utf8')
const subscriptions = new Map(
  JSON.parse(process.env.SUBSCRIPTIONS).map(({ id, url, secret }) => [
    id,
    { url, keys: signingKeys(secret) },
  ]),
)

const senders = {
  undici() {
    const dispatcher = new Agent({ connections: connections, connect: { ca } })
    return async (url, headers, body) => {
      const answer = await undiciRequest(url, { method: 'POST', headers, body, dispatcher })
      await answer.body.text()
      return answer.statusCode
    }
  },
  https() {
    const agent = new HttpsAgent({ ca, keepAlive: true, maxFreeSockets: connections })
    return (url, headers, body) =>
      new Promise((resolve, reject) => {
        const sent = httpsRequest(url, { method: 'POST', agent, headers }, answer => {
          answer.resume()
          answer.on('end', () => resolve(answer.statusCode))
        })
        sent.on('error', reject)
        sent.end(body)
      })
  },
  fetch: () => async (url, headers, body) => {
    const answer = await fetch(url, { method: 'POST', headers, body, tls: { ca } })
    await answer.text()
    return answer.status
  },
}

const send = senders[process.env.SENDER]()

export async function deliver({ subscription_id, event }) {
  const { url, keys } = subscriptions.get(subscription_id)
  const body = JSON.stringify(event)
  const timestamp = Math.floor(Date.now() / 1000)
  const signed = signedHeaders({
    eventId: event.id,
    body,
    timestamp,
    primary: keys,
    live: [keys],
  })
  const status = await send(url, { 'Content-Type': 'application/json', ...signed }, body)
  if (status < 200 || status > 299) throw new Error(`answered ${status}`)
}
