// Style and script of the dashboard, served by ourselves. Their addresses change with their content, so a browser
// may keep them for ever.
import { createHash } from 'node:crypto'
import pico from '@picocss/pico/css/pico.min.css' with { type: 'text' }
import style from './assets/dashboard.css' with { type: 'text' }
import script from './assets/dashboard.js' with { type: 'text' }

type Asset = { name: string; type: string; body: string }

const assets: Asset[] = [
  { name: 'pico.css', type: 'text/css; charset=utf-8', body: pico },
  { name: 'dashboard.css', type: 'text/css; charset=utf-8', body: style },
  { name: 'dashboard.js', type: 'text/javascript; charset=utf-8', body: script as string },
]

const pathOf = ({ name, body }: Asset) =>
  `/dashboard/assets/${createHash('sha256').update(body).digest('hex').slice(0, 12)}/${name}`

const byPath = new Map(assets.map(asset => [pathOf(asset), asset]))
const paths = [...byPath.keys()]

export const stylePaths = paths.filter(path => path.endsWith('.css'))
export const scriptPath = paths.find(path => path.endsWith('.js')) ?? ''

/** The asset at a path, or nothing. */
export function assetResponse(path: string): Response | undefined {
  const asset = byPath.get(path)
  return (
    asset &&
    new Response(asset.body, {
      headers: {
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    })
  )
}
