// Style, script and icons of the dashboard, served by ourselves. Their addresses change with their content, so a browser
// may keep them for ever.
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import idiomorph from 'idiomorph/dist/idiomorph.min.js' with { type: 'text' }
import { acceptsCoding } from '../lib/accepts.ts'
import style from './assets/dashboard.css' with { type: 'text' }
import script from './assets/dashboard.js' with { type: 'text' }

const tabIcon = (colour: string, inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/><path d="${inner}" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`

export const assetsPath = '/dashboard/assets/'

type Asset = { path: string; type: string; body: string; packed: Uint8Array<ArrayBuffer> }

function asset(name: string, type: string, body: string): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 12)
  return { path: `${assetsPath}${hash}/${name}`, type, body, packed: gzipSync(body) }
}

const styles = asset('dashboard.css', 'text/css; charset=utf-8', style)
// Idiomorph: 0BSD, https://github.com/bigskysoftware/idiomorph
const scripts = asset('dashboard.js', 'text/javascript; charset=utf-8', `${idiomorph}\n${script}`)
const well = asset('well.svg', 'image/svg+xml', tabIcon('#0b57c9', 'M8 10l4 12 4-9 4 9 4-12'))
// Red, with a mark, when a webhook needs the owner.
const trouble = asset('trouble.svg', 'image/svg+xml', tabIcon('#b3261e', 'M16 8v10M16 24v.01'))

export const stylePath = styles.path
export const scriptPath = scripts.path
export const iconPaths = { well: well.path, trouble: trouble.path }

export function assetResponse(request: Request, path: string): Response {
  const found = [styles, scripts, well, trouble].find(one => one.path === path)
  if (!found) return new Response(null, { status: 404 })
  const isPacked = acceptsCoding(request, 'gzip')
  return new Response(isPacked ? found.packed : found.body, {
    headers: {
      'content-type': found.type,
      ...(isPacked && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  })
}
