// Style, script and icons of the dashboard, served by ourselves. Their addresses change with their content, so a browser
// may keep them for ever.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { acceptsCoding } from '../lib/accepts_coding.ts'
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
// The smaller one first.
const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]
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

/** The asset at a path, or nothing. */
export function assetResponse(request: Request, path: string): Response | undefined {
  const asset = byPath.get(path)
  if (!asset) return undefined
  const encoding = encodings.find(one => acceptsCoding(request, one))
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
