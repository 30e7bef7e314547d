// A plain tools/call, which nearly every request is: read and framed here, as the package would, but around
// the database's own JSON text, without parsing it and without building a server for it (docs/decisions/tool_calls.md).
// What is not quite plain goes to the package; a test holds both ways against one another.
import { isObject, type Json } from '../http/json_schema.ts'
import { isId, isReserved, metaKeys } from './json_rpc.ts'
import { legacyRevisions, modernRevision, serverInfo } from './server_info.ts'

export type PlainCall = { id: string | number; name: string; given: Json; isModern: boolean }

/** What a call comes to: the envelope as JSON in UTF-8. */
export type ToolResult = { envelope: Buffer; failed: boolean }

/** Headers and _meta agree that this is a call of the older era: neither names the newer one. */
const isLegacy = (revision: string | null, meta: Json) =>
  (revision === null || legacyRevisions.includes(revision)) && !Object.keys(meta).some(isReserved)

// What a client of the newer era may say of itself in a plain call.
const plainKeys = [metaKeys.revision, metaKeys.capabilities, metaKeys.client]

const isClientInfo = (info: unknown) =>
  info === undefined ||
  (isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')

/** Every header that the newer era asks for is there and says what the message says. */
const isModern = (headers: Headers, revision: string | null, name: string, meta: Json) =>
  revision === modernRevision &&
  meta[metaKeys.revision] === modernRevision &&
  isObject(meta[metaKeys.capabilities]) &&
  isClientInfo(meta[metaKeys.client]) &&
  Object.keys(meta).every(key => plainKeys.includes(key) || !isReserved(key)) &&
  headers.get('mcp-method') === 'tools/call' &&
  headers.get('mcp-name') === name

/** The call, if it is a plain one. */
export function readPlainCall(headers: Headers, message: unknown): PlainCall | undefined {
  if (!isObject(message) || message.jsonrpc !== '2.0' || message.method !== 'tools/call')
    return undefined
  const { id, params, jsonrpc: _version, method: _method, ...others } = message
  if (!isId(id) || !isObject(params) || Object.keys(others).length > 0) return undefined
  const { name, arguments: given = {}, _meta: meta = {}, ...more } = params
  if (typeof name !== 'string' || !isObject(given) || !isObject(meta)) return undefined
  if (Object.keys(more).length > 0) return undefined
  const revision = headers.get('mcp-protocol-version')
  if (isLegacy(revision, meta)) return { id, name, given, isModern: false }
  return isModern(headers, revision, name, meta) ? { id, name, given, isModern: true } : undefined
}

const modernMembers = `,"resultType":"complete","_meta":${JSON.stringify({ [metaKeys.server]: serverInfo })}`

const head = Buffer.from('{"result":{"content":[{"type":"text","text":')
const middle = Buffer.from('}],"structuredContent":')

/** A JSON string of UTF-8. What JSON escapes is ASCII, so each byte may stand for a character meanwhile. */
const quoted = (text: Buffer) => Buffer.from(JSON.stringify(text.toString('latin1')), 'latin1')

/**
 * The answer to a plain call, in pieces. An error is none of the shapes outputSchema allows, so it is text alone.
 */
export function framePlainCall(
  { id, isModern }: PlainCall,
  { envelope, failed }: ToolResult,
): Uint8Array[] {
  const end = `${isModern ? modernMembers : ''}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`
  return failed
    ? [head, quoted(envelope), Buffer.from(`}],"isError":true${end}`)]
    : [head, quoted(envelope), middle, envelope, Buffer.from(end)]
}
