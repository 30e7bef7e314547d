// What the protocol's package answers to params of another shape: its validator's report, with all that was given in it. The
// client gets a few sentences that say what would have been right, under the code of JSON-RPC for it.
import { ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isObject, type Json } from '../http/json_schema.ts'
import { legacyRevisions, modernRevision } from './server_info.ts'

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

const revisions = [modernRevision, ...legacyRevisions]
const revisionSentence = `MCP-Protocol-Version must be a revision that is served: ${revisions.join(', ')}.`

/** Of a header that names no revision nothing is repeated. What `_meta` asks for is: the protocol has it so (`requested`). */
function withoutHeader({ code, data }: Json): Json {
  const isAsked = isObject(data) && data.supported !== undefined
  return { code, message: revisionSentence, ...(isAsked && { data }) }
}

const cutText = (_name: string, value: unknown) =>
  typeof value === 'string' ? cut(value, textMax) : value

function readable(error: Json, revision: string | null): Json {
  const text = sentencesFor(String(error.message))
  if (text !== undefined) return { code: ProtocolErrorCode.InvalidParams, message: text }
  const isUnknown = revision !== null && !revisions.includes(revision)
  return JSON.parse(JSON.stringify(isUnknown ? withoutHeader(error) : error, cutText))
}

/**
 * An error of the protocol: a report in words, any other with long texts cut. Every other answer as it is. `revision` is
 * the client's MCP-Protocol-Version.
 */
export function withReadableReport(answer: string, revision: string | null): string {
  if (!answer.includes('"error":{"code":-32')) return answer
  const message: unknown = JSON.parse(answer)
  if (!isObject(message) || !isObject(message.error)) return answer
  // The id stays as it came.
  return JSON.stringify({ ...message, error: readable(message.error, revision) })
}
