// /docs: the API description in Swagger UI, every asset served by ourselves, nothing from elsewhere.
import { lazily } from '../lazily.ts'
import { basePath } from './routes.ts'

export type Asset = { type: string; body: string | (() => Promise<string>) }

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Workspace Data API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="document"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const documentPath = `${basePath}/openapi.json`

// validatorUrl: null keeps Swagger UI from sending the document to its public validator.
const startScript = `SwaggerUIBundle({ url: ${JSON.stringify(documentPath)}, dom_id: '#document', validatorUrl: null, deepLinking: true, persistAuthorization: false })\n`

// Only who opens /docs needs Swagger UI. Loaded at the start it held 13 MB, and 27 MB for a while.
const swagger = () => import('./swagger.ts')

const describe = (origin: string) =>
  lazily(async () => {
    const { apiDocument } = await import('./api_document.ts')
    const text = JSON.stringify(apiDocument(origin))
    return () => text
  })

/** What is served beside the API, by path: its description and the page that shows it. */
export const docsAssets = (origin: string): Record<string, Asset> => ({
  [documentPath]: { type: 'application/json', body: describe(origin) },
  '/docs': { type: 'text/html; charset=utf-8', body: page },
  '/docs/start.js': { type: 'text/javascript; charset=utf-8', body: startScript },
  '/docs/swagger-ui.js': {
    type: 'text/javascript; charset=utf-8',
    body: async () => (await swagger()).script,
  },
  '/docs/swagger-ui.css': {
    type: 'text/css; charset=utf-8',
    body: async () => (await swagger()).style,
  },
})

// Swagger UI sets styles on elements; scripts and requests stay with this origin.
export const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
