// Reads a text/event-stream as the service sends it: messages with an id and one line of data, ended by an empty line.

export type Sent = { id: string; data: string }

function sentIn(block: string): Sent | undefined {
  let [id, data] = ['', '']
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) id = line.slice(4)
    if (line.startsWith('data: ')) data = line.slice(6)
  }
  return id === '' ? undefined : { id, data }
}

/** Messages as they come; one without data tells how far the feed was looked through. `onBytes` hears of each sign of life. */
export async function* readSent(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onBytes: () => void,
): AsyncGenerator<Sent> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const end = () => void reader.cancel(signal.reason).catch(() => {})
  // On Deno the signal of a fetch no longer ends the body once a few pieces were read.
  signal.addEventListener('abort', end)
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return
      onBytes()
      text += decoder.decode(value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const sent = sentIn(block)
        if (sent) yield sent
      }
    }
  } finally {
    end()
  }
}
