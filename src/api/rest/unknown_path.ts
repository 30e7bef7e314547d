// The error for an unknown path.
import { ApiError } from '../../errors.ts'
import { splitUrl } from './request.ts'
import { basePath, restRoutes } from './routes.ts'

const paths = restRoutes.map(route => basePath + route.path)

// With a slash at the end, as some clients add it.
const slashedForms = paths.map(
  path => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/+$`)] as const,
)

/** Names the path that was meant as it is documented, and repeats nothing of the request. */
export function unknownPath(request: Request): ApiError {
  const sent = splitUrl(request.url).path
  const [meant] = slashedForms.find(([, form]) => form.test(sent)) ?? []
  const cure = meant
    ? `leave out the slash at its end: ${meant}`
    : `the API lives under ${basePath}`
  return new ApiError('not_found', `There is nothing at this path; ${cure}.`)
}
