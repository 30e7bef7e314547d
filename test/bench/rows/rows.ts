// The registry of rows, in the order they run.
import type { Row } from '../row.ts'
import { chaos } from './chaos.ts'
import { dashboard } from './dashboard.ts'
import { deliveries } from './deliveries.ts'
import { deliveryFairness } from './delivery_fairness.ts'
import { deliveryLag } from './delivery_lag.ts'
import { feedLag } from './feed_lag.ts'
import { feedPrune } from './feed_prune.ts'
import { feedRead } from './feed_read.ts'
import { feedWriters } from './feed_writers.ts'
import { growth } from './growth.ts'
import { incomeRule } from './income.ts'
import { keyCheck } from './key_check.ts'
import { leads } from './leads.ts'
import { ready } from './ready.ts'
import { toolCall } from './tool_call.ts'

export const rows: Row[] = [
  leads,
  growth,
  ready,
  keyCheck,
  toolCall,
  incomeRule,
  feedLag,
  feedWriters,
  feedRead,
  feedPrune,
  deliveries,
  deliveryLag,
  deliveryFairness,
  dashboard,
  chaos,
]
