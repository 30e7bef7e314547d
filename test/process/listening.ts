// A receiver on plain http, as a developer has one, and the command listen that forwards to it.
import { type Runtime, spawn } from '../support/process/program.ts'

export type Heard = { headers: Headers; body: string }

export function openHttpReceiver() {
  const heard: Heard[] = []
  const answer = { status: 204, text: '' }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      heard.push({ headers: request.headers, body: await request.text() })
      return new Response(answer.text || null, { status: answer.status })
    },
  })
  return {
    heard,
    answer,
    url: `http://127.0.0.1:${server.port}/hook`,
    stop: () => server.stop(true),
  }
}

/** The command in a process of its own, which knows of no database. */
export async function openListen(runtime: Runtime, args: string[]) {
  const child = await spawn(runtime, ['listen', ...args], {})
  let output = ''
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) output += decoder.decode(chunk, { stream: true })
  }
  const reading = Promise.all([read(child.stdout), read(child.stderr)])
  return {
    output: () => output,
    secret: () => /^signing secret {2}(whsec_\S+)$/m.exec(output)?.[1] ?? '',
    async stop() {
      child.kill('SIGTERM')
      await reading
      return await child.exited
    },
  }
}
