// What a JSON-RPC message says of itself before anything of it is done: whether its id can be answered, and in which revision of
// the protocol it is written.
import { isObject, type Json } from '../http/json_schema.ts'
import { legacyRevisions, modernRevision } from './server_info.ts'

/** What an answer can repeat exactly: a text, or a whole number that JSON.parse has not rounded. */
export const isId = (id: unknown): id is string | number =>
  typeof id === 'string' || Number.isSafeInteger(id)

const idMax = Number.MAX_SAFE_INTEGER
export const idSentence = `id must be a text or a whole number from -${idMax} to ${idMax}.`

const isNotification = (message: Json) => typeof message.method === 'string' && !('id' in message)

/** An answer of the client's, to a question that this server never asks. */
const isResponse = (message: Json) => 'result' in message || 'error' in message

/** The member `id` of an error: null where the request's cannot be read. The error of a notification has none. */
export function idMember(message: Json = {}): { id?: string | number | null } {
  if (isNotification(message)) return {}
  return { id: isId(message.id) && !isResponse(message) ? message.id : null }
}

// The members of `_meta` that revision 2026-07-28 keeps for itself.
const reserved = 'io.modelcontextprotocol/'
export const isReserved = (key: string): boolean => key.startsWith(reserved)
export const metaKeys = {
  revision: `${reserved}protocolVersion`,
  capabilities: `${reserved}clientCapabilities`,
  client: `${reserved}clientInfo`,
  server: `${reserved}serverInfo`,
}

const revisions = [modernRevision, ...legacyRevisions]

/** Whether this service speaks the revision in which a request is written; a client may leave the header out. */
export const isServed = (revision: string | null): boolean =>
  revision === null || revisions.includes(revision)

export const revisionSentence = `MCP-Protocol-Version must be a revision that is served: ${revisions.join(', ')}.`

const revisionForm = /^\d{4}-\d\d-\d\d$/

/** A handshake of the older era asks in its params, and is offered a revision there. */
const isOlderHandshake = (revision: string, { method }: Json) =>
  method === 'initialize' && revisionForm.test(revision) && revision < modernRevision

const namesRevision = ({ params }: Json) =>
  isObject(params) && isObject(params._meta) && metaKeys.revision in params._meta

/**
 * Whether the header alone is wrong. A request that names its revision in `_meta` too is for the package, which compares them.
 */
export const isUnserved = (revision: string | null, message: Json): revision is string =>
  !isServed(revision) && !namesRevision(message) && !isOlderHandshake(revision ?? '', message)

/** What a client reads of the error: text that is no revision is not repeated. */
export const unservedData = (revision: string): Json => ({
  supported: revisions,
  ...(revisionForm.test(revision) && { requested: revision }),
})
