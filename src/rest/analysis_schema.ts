// Spec part 4: /schemas/analysis.
import { FreeForm } from '../model/schema.ts'
import { analysisSchema } from '../operations/analysis_schema.ts'
import { type Route, route } from './route.ts'

// The same for every workspace and every request: built once.
const data = JSON.stringify(analysisSchema)

export const analysisSchemaRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/schemas/analysis',
    operationId: 'getAnalysisSchema',
    scope: 'read:analyses',
    summary: 'The schemas of needs analyses',
    description:
      'The extraction schema (din_core_v2 core and product fragments), the DIN check schema, and the flat projection. Fields marked `x-redacted` exist in conversations and are never delivered.',
    query: {},
    data: FreeForm,
    errors: [],
    run: async () => ({ data }),
  }),
]
