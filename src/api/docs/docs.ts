// /docs: the API description in Swagger UI, every asset served by ourselves, nothing from elsewhere. Next to it the
// description itself.
import { createHash } from 'node:crypto'
import { SwaggerUIRender } from '@elysiajs/openapi/swagger'
import reader from 'swagger-ui-dist/package.json' with { type: 'json' }
import { lazy } from '../../lib/lazy.ts'
import { basePath } from '../../operations/contract.ts'
import { version } from '../../version.ts'
import ownStyle from './docs.css' with { type: 'text' }

export type Asset = {
  type: string
  body(): string | Promise<string>
  /** Its address changes with its content: a browser may keep it for ever. */
  immutable?: true
}

const sha256 = (text: string) => createHash('sha256').update(text)

const documentPath = `${basePath}/openapi.json`
const scriptPath = `/docs/assets/swagger-ui-${reader.version}.js`
const styleName = `/docs/assets/swagger-ui-${reader.version}-${sha256(ownStyle).digest('hex').slice(0, 12)}`
const theme = { light: `${styleName}-light.css`, dark: `${styleName}-dark.css` }

// Keys are not kept in the browser: the page may be open on any machine.
const page = SwaggerUIRender(
  { title: 'Workspace Data API', version, description: 'The API description.' },
  {
    url: documentPath,
    cdn: scriptPath,
    theme,
    autoDarkMode: false,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    persistAuthorization: false,
    validatorUrl: 'none',
  },
)

const [, inlineScript = ''] = /<script>([\s\S]*?)<\/script>/.exec(page) ?? []

/** The reader sets styles on elements; scripts and requests stay with this origin. */
export const docsPolicy = `default-src 'none'; script-src 'self' 'sha256-${sha256(inlineScript).digest('base64')}'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'`

// Few processes are asked for the page, and the reader is 1.7 MB.
const load = () => import('./reader.ts')

/** What is served next to the API, by path. */
export const docsAssets = (origin: () => string, permitsMax: number): Record<string, Asset> => ({
  [documentPath]: {
    type: 'application/json',
    body: lazy(async () => {
      const { apiDocument } = await import('./document.ts')
      const document = JSON.stringify(apiDocument(origin(), permitsMax))
      return () => document
    }),
  },
  '/docs': { type: 'text/html; charset=utf-8', body: () => page },
  [theme.light]: {
    type: 'text/css; charset=utf-8',
    body: async () => (await load()).style + ownStyle,
    immutable: true,
  },
  [theme.dark]: {
    type: 'text/css; charset=utf-8',
    body: async () => (await load()).darkStyle + ownStyle,
    immutable: true,
  },
  [scriptPath]: {
    type: 'text/javascript; charset=utf-8',
    body: async () => (await load()).script,
    immutable: true,
  },
})
