// What the protocol's package answers to params of another shape: its validator's report, with all that was given in it. The
// client gets a few sentences that say what would have been right, under the code of JSON-RPC for it.
import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isObject, type Json } from '../http/json_schema.ts'
import { idMember, isServed, revisionSentence } from './json_rpc.ts'
import { modernRevision } from './server_info.ts'

/** An entry of the report. */
type Issue = { path: (string | number)[]; expected?: string }

// However many members are wrong.
const issuesMax = 5
// Deeper names may be the client's own.
const pathMax = 3
// Names and values that the package repeats.
const textMax = 200
// A name within a sentence of ours, which stays whole.
const nameMax = 60

const cut = (text: string, max: number) => (text.length > max ? `${text.slice(0, max)}…` : text)

function issuesOf(text: string): Issue[] {
  // As JSON.stringify indents it. A search for its form would take time that grows with the square of a name's length.
  const start = text.indexOf('[\n')
  if (start < 0 || !text.endsWith(']')) return []
  try {
    const report: unknown = JSON.parse(text.slice(start))
    return (report as Json[]).filter((one): one is Issue => Array.isArray(one.path))
  } catch {
    return []
  }
}

// The package's word for an object with members of any name.
const kindOf = (expected: string) => (expected === 'record' ? 'object' : expected)

function sentenceOf({ path, expected }: Issue): string {
  const place = path
    .slice(0, pathMax)
    .map(name => cut(String(name), nameMax))
    .join('.')
  if (path.length > pathMax) return `${place} has a member that is not as the protocol has it.`
  return expected === undefined
    ? `${place} is not as the protocol has it.`
    : `${place} must be of type ${kindOf(expected)}.`
}

const metaSentence =
  `params._meta must be as revision ${modernRevision} has it: io.modelcontextprotocol/protocolVersion a string, ` +
  'io.modelcontextprotocol/clientCapabilities an object, io.modelcontextprotocol/clientInfo with name and version.'

/** What to say instead of a report; undefined: the text is no report. */
function sentencesFor(text: string): string | undefined {
  if (text.startsWith('Invalid _meta envelope')) return metaSentence
  const sentences = new Set(issuesOf(text).slice(0, issuesMax).map(sentenceOf))
  return sentences.size > 0 ? [...sentences].join(' ') : undefined
}

// The package knows of the newer era alone; what it says of `supported` is true of requests with `_meta`.
const unsupportedSentence = `The protocol version in _meta must be ${modernRevision}; older revisions are served without it.`

// The package does not say what is wrong with a message.
const noMessage = 'Bad Request: the request body is not a valid JSON-RPC message'
const messageSentence =
  'Send a JSON-RPC 2.0 message: jsonrpc must be "2.0", method a string, and params, if present, an object.'

const unsupported = ProtocolErrorCode.UnsupportedProtocolVersion

const cutText = (_name: string, value: unknown) =>
  typeof value === 'string' ? cut(value, textMax) : value

function readable(error: Json, revision: string | null): Json {
  const text = sentencesFor(String(error.message))
  if (text !== undefined) return { code: ProtocolErrorCode.InvalidParams, message: text }
  if (error.message === noMessage) return { code: error.code, message: messageSentence }
  // The header differs from `_meta`, and text that is no revision is not repeated.
  if (!isServed(revision) && error.code !== unsupported)
    return { code: error.code, message: revisionSentence }
  const message = error.code === unsupported ? unsupportedSentence : error.message
  return JSON.parse(JSON.stringify({ ...error, message }, cutText))
}

/**
 * An error of the protocol that answers `message`: a report in words, any other with long texts cut, and with the id that it must
 * have. Every other answer as it is. `revision` is the client's MCP-Protocol-Version.
 */
export function withReadableReport(answer: string, message: Json, revision: string | null): string {
  if (!answer.includes('"error":{"code":-32')) return answer
  const reply: unknown = JSON.parse(answer)
  if (!isObject(reply) || !isObject(reply.error)) return answer
  const error = readable(reply.error, revision)
  return JSON.stringify({ jsonrpc: reply.jsonrpc, ...idMember(message), error })
}
