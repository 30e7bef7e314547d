// Spec part 4: /signals.
import { Type } from '@sinclair/typebox'
import { PageMeta, page, pageParameters } from '../http/pagination.ts'
import { enumParameter } from '../http/parameters.ts'
import { Signal, signalStatuses } from '../model/signal.ts'
import { listSignals } from '../operations/signals.ts'
import { type Route, route } from './route.ts'

export const signalRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/signals',
    operationId: 'listSignals',
    scope: 'read:signals',
    summary: 'List sales signals, latest detected first',
    query: {
      ...pageParameters,
      status: enumParameter(signalStatuses, 'Only signals of this status.'),
    },
    data: Type.Array(Signal),
    meta: PageMeta,
    errors: ['invalid_request'],
    run: async (database, { query }) => page(await listSignals(database, query), query),
  }),
]
