// The registry of rows, in the order they run.
import type { Row } from '../row.ts'
import { chaos } from './chaos.ts'
import { cost } from './cost.ts'
import { dashboard } from './dashboard.ts'
import { deliveryRate } from './deliveries.ts'
import { deliveryFairness } from './delivery_fairness.ts'
import { deliveryGrowth } from './delivery_growth.ts'
import { deliveryLag } from './delivery_lag.ts'
import { feedGrowth } from './feed_growth.ts'
import { feedLag } from './feed_lag.ts'
import { feedPrune } from './feed_prune.ts'
import { feedRead } from './feed_read.ts'
import { feedWriters } from './feed_writers.ts'
import { fuzz } from './fuzz.ts'
import { growth } from './growth.ts'
import { heldSnapshot } from './held_snapshot.ts'
import { incomeRule } from './income.ts'
import { incomeEvaluation } from './income_evaluation.ts'
import { keyCheck } from './key_check.ts'
import { leads } from './leads.ts'
import { lowRate } from './low_rate.ts'
import { memory } from './memory.ts'
import { reads } from './reads.ts'
import { ready } from './ready.ts'
import { receiverDown } from './receiver_down.ts'
import { toolCall } from './tool_call.ts'

export const benchRows: Row[] = [
  leads,
  reads,
  growth,
  ready,
  keyCheck,
  toolCall,
  incomeRule,
  incomeEvaluation,
  feedLag,
  feedWriters,
  feedRead,
  feedGrowth,
  feedPrune,
  deliveryRate,
  deliveryLag,
  deliveryFairness,
  deliveryGrowth,
  lowRate,
  heldSnapshot,
  receiverDown,
  dashboard,
  fuzz,
  chaos,
  cost,
  memory,
]
