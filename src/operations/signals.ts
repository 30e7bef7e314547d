// Sales signals.
import { Type } from '@sinclair/typebox'
import { Signal, SignalStatus, signalStatuses } from '../model/signal.ts'
import { operation } from './operation.ts'
import { PageMeta, page, pageParameters } from './pages.ts'
import { enumParameter } from './parameters.ts'

/** Latest detected first. */
export const listSignals = operation({
  name: 'listSignals',
  scope: 'read:signals',
  input: {
    ...pageParameters,
    status: {
      ...enumParameter(signalStatuses, 'Only signals of this status.'),
      schema: SignalStatus,
    },
  },
  data: Type.Array(Signal),
  meta: PageMeta,
  async run(database, input) {
    const { status, limit: row_limit, offset: row_offset } = input
    return page(await database.json('listSignals', { status, row_limit, row_offset }), input)
  },
})
