// The error for an unknown path.
import { ApiError } from '../../errors.ts'
import { splitUrl } from './request.ts'
import { basePath, restRoutes } from './routes.ts'

// '/hooks/sample' before '/hooks/{hookId}', which it would be taken for.
const paths = restRoutes
  .map(route => route.path)
  .toSorted((one, other) => Number(one.includes('{')) - Number(other.includes('{')))

// Mistakes of clients that join a base and a path: no base, another case, an extra slash.
const mistakenForms = [
  ...paths.map(path => [basePath + path, mistakenForm(path)] as const),
  ['/mcp', mistakenForm('/mcp')] as const,
]

function mistakenForm(path: string): RegExp {
  const part = path.slice(1).replace(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^(?:/+api)?(?:/+v1)?/+${part}/*$`, 'i')
}

// Phone numbers are often written with one: 0171/3920001.
const slashInKey = /^(?:\/+api)?(?:\/+v1)?\/+kontakte\/+[^/]+\/+[^/]/i

function cureFor(sent: string): string {
  const [meant] = mistakenForms.find(([, form]) => form.test(sent)) ?? []
  const list = `${basePath}/openapi.json lists the paths of the API`
  if (!meant) return slashInKey.test(sent) ? `${list}; a slash inside a key is written %2F` : list
  // Another part of the path may be wrong, too, but then the path that was meant shows it.
  return sent.endsWith('/')
    ? `leave out the slash at its end: ${meant}`
    : `paths are exact, and this one is ${meant}`
}

/** Names the path that was meant as it is documented, and repeats nothing of the request. */
export function unknownPath(request: Request): ApiError {
  const cure = cureFor(splitUrl(request.url).path)
  return new ApiError('not_found', `There is nothing at this path; ${cure}.`)
}
