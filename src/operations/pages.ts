// Lists that are read by pages, and lists that come whole (spec part 4).
import { Type } from '@sinclair/typebox'
import type { JsonRows } from '../db/database.ts'
import { Exact } from '../model/schema.ts'
import type { Answer } from './operation.ts'
import { limitParameter, offsetParameter } from './parameters.ts'

export const pageParameters = { limit: limitParameter, offset: offsetParameter }

export const entryCount = Type.Integer({ description: 'Number of entries in `data`.' })

export const PageMeta = Exact(
  { count: entryCount, limit: Type.Integer(), offset: Type.Integer() },
  { $id: 'ListMeta' },
)

export const CountMeta = Exact({ count: entryCount }, { $id: 'CountMeta' })

export const page = (
  { count, json }: JsonRows,
  { limit, offset }: { limit: number; offset: number },
): Answer => ({ data: json, meta: { count, limit, offset } })

export const wholeList = ({ count, json }: JsonRows): Answer => ({ data: json, meta: { count } })
