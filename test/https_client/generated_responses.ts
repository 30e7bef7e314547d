// Responses for the fuzz test of the parser: valid ones, hostile ones, mutations of both, and ways to split them.
import { type Random, seeded } from '../support/fuzz/seeded.ts'

export type Generated = {
  text: string
  /** It was not mutated, and any client finds its end. */
  isPlain: boolean
}

const reasons = ['', ' OK', ' ', ' Not \xfcblich', ' OK: a']
const names = ['X-A', 'x-a', 'Date', 'Retry-After', 'Content-Type', 'constructor', '__proto__']
const values = ['', 'a', '  b\t', 'chunked', 'a, b', 'caf\xe9', '5']
const extensions = ['', '', '', ';a', ';a="b"', ' ', '\t;a=b']
const oddExtensions = [
  '',
  ' x',
  'g',
  'h;a',
  ...[249, 250, 251, 252].map(size => `;${'a'.repeat(size)}`),
]
// At the limits of a line, an excerpt, a body and what a chunked body takes on the wire.
const sizes = [0, 1, 2, 5, 255, 256, 257, 1_024, 5_000, 16_383, 16_384, 16_385, 20_000, 70_000]
const tokens = [
  ...['\r', '\n', '\r\n', '\r\n\r\n', '\n\n', '\0', ':', ' ', '\t', ',', ';', '0', 'f', 'g', '-'],
  ...['\r\n folded', '\r\nno colon', '\r\nX A: b', '\r\nX-A : b', '\r\n: b'],
  ...[
    '\r\nContent-Length: 5',
    '\r\nContent-Length: 0',
    '\nContent-Length: 5',
    '\r\nContent-Length:',
  ],
  ...['\r\nTransfer-Encoding: chunked', '\r\nTransfer-Encoding: gzip', '\r\nConnection: close'],
  ...[
    '\r\nTransfer-Encoding : chunked',
    '\nTransfer-Encoding: chunked',
    '\r\nKeep-Alive: timeout=1',
  ],
  ...['HTTP/1.1 ', 'HTTP/1.0 ', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', '\r\n0\r\n\r\n'],
  ...['x'.repeat(300), `X-A: ${'a'.repeat(300)}\r\n`],
  ...['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 101 X\r\n\r\n', 'ffffffff\r\n', '123456789\r\n'],
]

const repeat = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

const headers = (random: Random): string =>
  repeat(random.below(4), () => `${random.of(names)}:${random.of(values)}\r\n`).join('')

const interims = (random: Random): string =>
  repeat(random.of([0, 0, 0, 1, 2, 16, 17]), () => {
    const status = random.of([100, 102, 103, 199])
    return `HTTP/1.1 ${status}${random.of(reasons)}\r\n${headers(random)}\r\n`
  }).join('')

function chunks(random: Random, extension = () => random.of(extensions)): string {
  const chunk = () => {
    const size = 1 + random.below(random.of([1, 10, 300, 9_000]))
    return `${size.toString(16)}${extension()}\r\n${'c'.repeat(size)}\r\n`
  }
  const count = random.of([0, 1, 2, 5, 5, 200])
  return `${repeat(count, chunk).join('')}${'0'.repeat(1 + random.below(3))}\r\n${headers(random)}\r\n`
}

/** The part of a final response after its status line and free headers. */
function framed(random: Random): [isPlain: boolean, text: string] {
  const body = 'b'.repeat(random.of(sizes))
  return random.of<() => [boolean, string]>([
    () => [true, `Content-Length: ${body.length}\r\n\r\n${body}`],
    () => [
      true,
      `content-length:${body.length}\r\nContent-Length:\t${body.length} \r\n\r\n${body}`,
    ],
    () => [
      true,
      `Transfer-Encoding: ${random.of(['chunked', 'Chunked'])}\r\n\r\n${chunks(random)}`,
    ],
    () => [false, `\r\n${body}`],
    () => [false, `Content-Length: ${body.length + 1}\r\n\r\n${body}`],
    () => [false, `Content-Length: ${body.length}\r\n\r\n${body}x`],
    () => [false, `Content-Length: ${body.length}\r\nContent-Length: 1\r\n\r\n${body}`],
    () => [
      false,
      `Transfer-Encoding: chunked\r\n\r\n${chunks(random, () => random.of(oddExtensions))}`,
    ],
    () => [false, `Transfer-Encoding: gzip, chunked\r\n\r\n${chunks(random)}`],
    () => [false, `Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n${chunks(random)}`],
    () => [false, `Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
    () => [false, `X-A: ${'a'.repeat(16_300 + random.below(120))}\r\nContent-Length: 0\r\n\r\n`],
  ])()
}

function valid(random: Random): Generated {
  const before = interims(random)
  const minor = random.of([1, 1, 1, 1, 1, 1, 1, 0])
  const start = (status: number) =>
    `HTTP/1.${minor} ${status}${random.of(reasons)}\r\n${headers(random)}`
  if (random.below(8) === 0) {
    const status = random.of([101, 204, 304])
    return { text: `${before}${start(status)}\r\n`, isPlain: minor === 1 && status !== 101 }
  }
  const [isPlain, text] = framed(random)
  const head = start(random.of([200, 201, 302, 429, 503, 999]))
  return { text: `${before}${head}${text}`, isPlain: minor === 1 && isPlain }
}

function mutated(random: Random, text: string): string {
  // Most of the syntax is at the front.
  const at = random.below(random.of([text.length, Math.min(text.length, 200)]) + 1)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  return random.of([
    () => before + random.of(tokens) + after,
    () => before + random.of(tokens) + after.slice(1),
    () => before + after.slice(1 + random.below(4)),
    () => before + String.fromCharCode(random.below(256)) + after.slice(1),
    () => before + after.slice(0, random.below(60)) + after,
    () => before,
    () => text + random.of(tokens),
    () => before.replaceAll('\r\n', '\n') + after,
    () => before + valid(random).text,
  ])()
}

export function generateResponse(seed: number): Generated {
  const random = seeded(seed)
  const generated = valid(random)
  const mutations = random.of([0, 0, 1, 1, 2, 3, 6])
  if (mutations === 0) return generated
  let { text } = generated
  for (let turn = 0; turn < mutations; turn += 1) text = mutated(random, text)
  return { text, isPlain: false }
}

/** Pieces of the text in order: at random cuts, around line ends, or byte by byte. */
export function split(seed: number, text: string): string[] {
  const random = seeded(seed)
  if (text.length < 600 && random.below(4) === 0) return [...text]
  const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index).slice(0, 400)
  const cut = () =>
    lineEnds.length > 0 && random.below(2) === 0
      ? Math.max(random.of(lineEnds) - 3 + random.below(6), 0)
      : random.below(text.length + 1)
  const cuts = repeat(1 + random.below(8), cut).toSorted((first, second) => first - second)
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index])).filter(Boolean)
}
