// Answers that are larger than what a socket takes at once: whole, and as their client takes them.
import { beforeAll, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { useService } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
const path = '/leads?limit=200'
// 200 of these, each character of two to four bytes, are 1.5 MB: more than a socket takes at once.
const note = 'Jörg ließ sich beraten 🏡 '.repeat(250)

beforeAll(async () => {
  await api.sql`
    insert into leads (name, parsed_data)
    select 'Lead ' || number, jsonb_build_object('notiz', ${note}::text) from generate_series(1, 200) as number`
})

const ask = (socket: Socket, query: string) =>
  socket.write(
    `GET /api/v1${query} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${api.key}\r\naccept-encoding: identity\r\n\r\n`,
  )

test('a page of 1.5 MB arrives whole, and HEAD has its length', async () => {
  const { text, body } = await api.send(path)
  const length = String(Buffer.byteLength(text))
  expect(text.length).toBeGreaterThan(1_000_000)
  expect(body.data.map((lead: { parsed_data: unknown }) => lead.parsed_data)).toEqual(
    Array(200).fill({ notiz: note }),
  )
  const head = await api.send(path, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${api.key}` },
  })
  expect(head.headers.get('content-length')).toBe(length)
})

test('a client that reads slowly gets all of it, and then its next answer', async () => {
  const { text } = await api.send(path)
  const socket = connect(api.service.port, '127.0.0.1')
  let received = Buffer.alloc(0)
  socket.pause()
  ask(socket, path)
  for (let turn = 0; turn < 20; turn += 1) {
    await Bun.sleep(10)
    const chunk: Buffer | null = socket.read(16_384)
    if (chunk) received = Buffer.concat([received, chunk])
  }
  expect(received.length).toBeLessThan(text.length)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
  })
  socket.resume()
  await until(() => received.toString('latin1').endsWith('\r\n0\r\n\r\n'))
  expect(received.length).toBeGreaterThan(Buffer.byteLength(text))
  ask(socket, '/leads?limit=1')
  await until(() => received.toString().endsWith('"meta":{"count":1,"limit":1,"offset":0}}'))
  socket.destroy()
})
