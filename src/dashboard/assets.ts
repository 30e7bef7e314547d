// Style, script and icons of the dashboard, served by ourselves. Their addresses change with their content, so a browser
// may keep them for ever.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import style from './assets/dashboard.css' with { type: 'text' }
import script from './assets/dashboard.js' with { type: 'text' }
import { tabIcons } from './icons.ts'

type Asset = { name: string; type: string; body: string }

const assets: Asset[] = [
  { name: 'dashboard.css', type: 'text/css; charset=utf-8', body: style },
  { name: 'dashboard.js', type: 'text/javascript; charset=utf-8', body: script as string },
  { name: 'well.svg', type: 'image/svg+xml', body: tabIcons.well },
  { name: 'trouble.svg', type: 'image/svg+xml', body: tabIcons.trouble },
]

const pathOf = ({ name, body }: Asset) =>
  `/dashboard/assets/${createHash('sha256').update(body).digest('hex').slice(0, 12)}/${name}`

const byPath = new Map(assets.map(asset => [pathOf(asset), asset]))
const pathEnding = (ending: string) => [...byPath.keys()].find(path => path.endsWith(ending)) ?? ''

export const stylePath = pathEnding('.css')
export const scriptPath = pathEnding('.js')
export const iconPaths = { well: pathEnding('/well.svg'), trouble: pathEnding('/trouble.svg') }

const packers = { br: brotliCompressSync, gzip: gzipSync }
type Encoding = keyof typeof packers
const packed = new Map<string, Uint8Array<ArrayBuffer>>()

/** Compressed at the first request, and remembered. */
function bodyOf({ name, body }: Asset, encoding: Encoding): Uint8Array<ArrayBuffer> {
  const key = `${name} ${encoding}`
  const known = packed.get(key)
  if (known) return known
  const made = new Uint8Array(packers[encoding](body))
  packed.set(key, made)
  return made
}

/** A coding that is refused has the weight 0. */
function encodingFor(request: Request): Encoding | undefined {
  const accepted = (request.headers.get('accept-encoding') ?? '').toLowerCase().split(',')
  const isAccepted = (name: string) =>
    accepted.some(one => {
      const [coding = '', weight = 'q=1'] = one.split(';').map(part => part.trim())
      return coding === name && Number(weight.slice(2)) > 0
    })
  return (['br', 'gzip'] as const).find(isAccepted)
}

/** The asset at a path, or nothing. */
export function assetResponse(request: Request, path: string): Response | undefined {
  const asset = byPath.get(path)
  if (!asset) return undefined
  const encoding = encodingFor(request)
  return new Response(encoding ? bodyOf(asset, encoding) : asset.body, {
    headers: {
      'content-type': asset.type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  })
}
