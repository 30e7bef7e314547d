// /docs: the API description in a reader, every asset served by ourselves, nothing from elsewhere. Next to it the same
// description in other forms.
import { createHash } from 'node:crypto'
import { lazy } from '../../lib/lazy.ts'
import style from './docs/docs.css' with { type: 'text' }
import start from './docs/start.js' with { type: 'text' }
import { basePath } from './routes.ts'

export type Asset = {
  type: string
  body: string | (() => Promise<string>)
  /** Its address changes with its content: a browser may keep it for ever. */
  immutable?: true
}

const documentPath = `${basePath}/openapi.json`

const hashed = (name: string, text: string) =>
  `/docs/assets/${createHash('sha256').update(text).digest('hex').slice(0, 12)}/${name}`

// RapiDoc as it was released; docs/decisions/clients.md says why it is kept here and how to take a newer one.
const scriptPath = '/docs/assets/rapidoc-9.3.8.js'
const startPath = hashed('start.js', start as string)
const stylePath = hashed('docs.css', style)

// load-fonts: off, or it asks a host of others. Keys are not kept in the browser: the page may be open on any machine.
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Workspace Data API</title>
<link rel="stylesheet" href="${stylePath}">
<link rel="icon" href="data:,">
<script src="${startPath}" defer></script>
<script src="${scriptPath}" defer></script>
</head>
<body>
<header class="hidden"><h1>Workspace Data API</h1></header>
<div class="page">
<rapi-doc css-file="${stylePath}" spec-url="${documentPath}" load-fonts="false" render-style="focused" show-header="false"
  info-description-headings-in-navbar="true" allow-server-selection="false" allow-search="true"
  allow-advanced-search="false" use-path-in-nav-bar="false" nav-item-spacing="compact" show-method-in-nav-bar="as-colored-text"
  schema-style="tree" schema-expand-level="3" default-schema-tab="schema" show-curl-before-try="true" persist-auth="false"
  regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace" font-size="large"></rapi-doc>
</div>
<noscript><p>The description itself: <a href="${documentPath}">openapi.json</a>, <a href="/llms.txt">llms.txt</a>.</p></noscript>
</body>
</html>
`

// Only who opens /docs needs the reader, and few processes are asked for any of it.
const reader = () => import('./docs/reader.ts')

const described = (text: () => Promise<string>) =>
  lazy(async () => {
    const built = await text()
    return () => built
  })

const documentOf = async (origin: string, permitsMax: number) => {
  const { apiDocument } = await import('./api_document.ts')
  return apiDocument(origin, permitsMax)
}

const javaScript = 'text/javascript; charset=utf-8'

/** What is served next to the API, by path: its description in several forms, and the page that shows it. */
export const docsAssets = (origin: () => string, permitsMax: number): Record<string, Asset> => ({
  [documentPath]: {
    type: 'application/json',
    body: described(async () => JSON.stringify(await documentOf(origin(), permitsMax))),
  },
  [`${basePath}/openapi.yaml`]: {
    type: 'application/yaml',
    body: described(async () => {
      const { toYaml } = await import('./yaml.ts')
      return toYaml(await documentOf(origin(), permitsMax))
    }),
  },
  '/docs/postman.json': {
    type: 'application/json',
    body: described(async () => {
      const { postmanCollection } = await import('./postman.ts')
      return JSON.stringify(postmanCollection(origin()), null, 2)
    }),
  },
  '/llms.txt': {
    type: 'text/plain; charset=utf-8',
    body: described(async () => (await import('./llms_text.ts')).llmsText(origin(), permitsMax)),
  },
  '/docs': { type: 'text/html; charset=utf-8', body: page },
  [stylePath]: { type: 'text/css; charset=utf-8', body: style, immutable: true },
  [startPath]: { type: javaScript, body: start as string, immutable: true },
  [scriptPath]: {
    type: javaScript,
    body: async () => (await reader()).script,
    immutable: true,
  },
})

// The reader sets styles on elements; scripts and requests stay with this origin.
export const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'"
