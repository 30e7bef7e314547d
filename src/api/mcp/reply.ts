// What both ways of answering a message share: what is offered to the caller, and the form of a reply.
import type { Json } from '../http/json_schema.ts'
import { idMember } from './json_rpc.ts'
import type { ToolResult } from './plain_call.ts'

/** What the caller's key may see, and what a call of it comes to. */
export type Offer = {
  listing: Json[]
  /** Resolves with undefined where there is no such tool. */
  call(name: string, given: Json): Promise<ToolResult | undefined>
}

/** The body in pieces; none: no body. */
export type ToolReply = { status: number; body: Uint8Array[] }

/** The error of the protocol, as JSON-RPC has it. */
export type ProtocolFault = { code: number; message: string; data?: Json }

/** Answers `message` with an error; without one, nothing could be read of it. */
export const refusal = (status: number, error: ProtocolFault, message?: Json): ToolReply => ({
  status,
  body: [Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...idMember(message), error }))],
})
