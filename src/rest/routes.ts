// The registry: every route of the REST API. It serves, validates and documents.
import { analysisSchemaRoutes } from './analysis_schema.ts'
import { appointmentRoutes } from './appointments.ts'
import { eventRoutes } from './events.ts'
import { hookRoutes } from './hooks.ts'
import { kontaktRoutes } from './kontakte.ts'
import { leadRoutes } from './leads.ts'
import type { Route } from './route.ts'
import { signalRoutes } from './signals.ts'

export const basePath = '/api/v1'

export const routes: Route[] = [
  ...leadRoutes,
  ...kontaktRoutes,
  ...appointmentRoutes,
  ...signalRoutes,
  ...eventRoutes,
  ...hookRoutes,
  ...analysisSchemaRoutes,
]
