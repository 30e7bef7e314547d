// The pages that offset-paginated lists answer with (spec part 4).
import { Type } from '@sinclair/typebox'
import type { JsonPage } from '../db/database.ts'
import { Exact } from '../model/schema.ts'
import type { Answer } from './envelope.ts'
import { limitParameter, offsetParameter } from './parameters.ts'

export const pageParameters = { limit: limitParameter, offset: offsetParameter }

export const PageMeta = Exact({
  count: Type.Integer({ description: 'Number of entries in `data`.' }),
  limit: Type.Integer(),
  offset: Type.Integer(),
})

export const page = (
  { count, json }: JsonPage,
  { limit, offset }: { limit: number; offset: number },
): Answer => ({ data: json, meta: { count, limit, offset } })
