// Where the tool server answers, who it is, and which revisions of the protocol it speaks.
import { version } from '../../version.ts'

export const toolPath = '/mcp'

export const serverInfo = { name: 'workspace-data-api', title: 'Workspace Data API', version }

/** Version, client and capabilities with every request, in headers and `_meta`. */
export const modernRevision = '2026-07-28'

/** Handshake by `initialize`. Newest first: a client that asks for another one is offered the first. */
export const legacyRevisions = ['2025-11-25', '2025-06-18', '2025-03-26']
