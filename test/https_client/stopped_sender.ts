// A process that sends two requests one after the other, and prints their results. The second waits for its response for as long
// as the test says.
import { openSender } from '../../src/https_client/send.ts'

const [origin = '', ca = '', path = '', totalMs = ''] = process.argv.slice(2)
const timeouts = { totalMs: Number(totalMs) }
const sender = openSender({ allowedNetworks: ['127.0.0.0/8'], ca, timeouts })
for (const each of ['/ok/first', path]) {
  const reply = await sender.send({ url: origin + each, group: 'a', headers: {}, body: '{}' })
  process.stdout.write(`${reply.status ?? reply.errorClass}\n`)
}
sender.close()
