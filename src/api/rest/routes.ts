// The contract as REST has it: every operation by its method and path.
import { contract, type OperationName } from '../../operations/contract.ts'
import type { Operation } from '../../operations/operation.ts'
import { openEventStream } from './event_stream.ts'

export const basePath = '/api/v1'

export type RestRoute = Operation & {
  /** The API description calls it `operationId`. */
  name: OperationName
  /** Answers `Accept: text/event-stream` instead of run. */
  stream?: typeof openEventStream
}

export const restRoutes: RestRoute[] = Object.entries(contract).map(([name, operation]) => ({
  ...operation,
  name: name as OperationName,
  ...(name === 'listEvents' && { stream: openEventStream }),
}))
