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
  onBytes: () => void,
): AsyncGenerator<Sent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    onBytes()
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const sent = sentIn(block)
      if (sent) yield sent
    }
  }
}
