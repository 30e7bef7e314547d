// Style, script and icons of the dashboard, served by ourselves. Their addresses change with their content, so a browser
// may keep them for ever.
import { createHash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import idiomorph from 'idiomorph/dist/idiomorph.min.js' with { type: 'text' }
import { acceptsCoding } from '../lib/accepts.ts'
import style from './assets/dashboard.css' with { type: 'text' }
import script from './assets/dashboard.js' with { type: 'text' }
import { tabIcons } from './icons.ts'

type Asset = { type: string; body: string }

const makeScript = () => `${idiomorph}\n${script}`

const assets: Record<string, Asset> = {
  'dashboard.css': { type: 'text/css; charset=utf-8', body: style },
  // Idiomorph: 0BSD, https://github.com/bigskysoftware/idiomorph
  'dashboard.js': { type: 'text/javascript; charset=utf-8', body: makeScript() },
  'well.svg': { type: 'image/svg+xml', body: tabIcons.well },
  'trouble.svg': { type: 'image/svg+xml', body: tabIcons.trouble },
}

export const assetsPath = '/dashboard/assets/'

const pathOf = (name: string) => {
  const hash = createHash('sha256').update(assets[name]?.body ?? '')
  return `${assetsPath}${hash.digest('hex').slice(0, 12)}/${name}`
}

export const stylePath = pathOf('dashboard.css')
export const scriptPath = pathOf('dashboard.js')
export const iconPaths = { well: pathOf('well.svg'), trouble: pathOf('trouble.svg') }

const byPath = new Map(Object.entries(assets).map(([name, asset]) => [pathOf(name), asset]))

// The smaller one first.
const packers = { br: brotliCompressSync, gzip: gzipSync }
type Coding = keyof typeof packers
const packed = new Map<string, Uint8Array<ArrayBuffer>>()

/** Compressed at the first request, and remembered. */
function bodyOf(path: string, { body }: Asset, coding: Coding): Uint8Array<ArrayBuffer> {
  const key = `${path} ${coding}`
  const known = packed.get(key) ?? new Uint8Array(packers[coding](body))
  packed.set(key, known)
  return known
}

export function assetResponse(request: Request, path: string): Response {
  const asset = byPath.get(path)
  if (!asset) return new Response(null, { status: 404 })
  const coding = (Object.keys(packers) as Coding[]).find(one => acceptsCoding(request, one))
  return new Response(coding ? bodyOf(path, asset, coding) : asset.body, {
    headers: {
      'content-type': asset.type,
      ...(coding && { 'content-encoding': coding }),
      vary: 'accept-encoding',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    },
  })
}
