// Reads a query string as it was sent, by the parameters of an operation.
import { ApiError, type ErrorCode } from '../../errors.ts'
import { type Parameters, readValue, type Values } from '../../operations/parameters.ts'

/** Percent-decodes once. Throws `code` for bad encoding and NUL; `what` names the place. */
export function decode(text: string, what: string, code: ErrorCode = 'invalid_request'): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text)
  } catch {
    throw new ApiError(code, `${what} must be valid UTF-8 in percent-encoding.`)
  }
  if (decoded.includes('\0')) throw new ApiError(code, `${what} must not contain a NUL character.`)
  return decoded
}

// How some clients write lists. As an unknown parameter it would be ignored, and the answer would hold everything.
const bracketed = /^([a-z_]+)\[\d*\]$/

function refuseBrackets(name: string, known: Parameters): void {
  const base = bracketed.exec(name)?.[1] ?? ''
  if (!Object.hasOwn(known, base)) return
  const cure = known[base]?.isList
    ? `write ${base} with commas, or repeat it, without brackets`
    : `write ${base} without brackets`
  throw new ApiError(
    known[base]?.code ?? 'invalid_request',
    `There is no list in brackets: ${cure}.`,
  )
}

function readPairs(query: string, known: Parameters): Map<string, string> {
  const found = new Map<string, string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const rawName = equals < 0 ? pair : pair.slice(0, equals)
    const name = decode(rawName.replaceAll('+', ' '), 'A query parameter')
    if (!Object.hasOwn(known, name)) {
      refuseBrackets(name, known)
      continue
    }
    const before = found.get(name)
    if (before !== undefined && !known[name]?.isList)
      throw new ApiError(known[name]?.code ?? 'invalid_request', `${name} must be given once.`)
    const rawValue = equals < 0 ? '' : pair.slice(equals + 1)
    const value = decode(rawValue.replaceAll('+', ' '), name, known[name]?.code)
    found.set(name, before === undefined ? value : `${before},${value}`)
  }
  return found
}

/** Reads a query string strictly; unknown parameters are ignored. Throws the parameter's own code. */
export function readQuery<Known extends Parameters>(query: string, known: Known): Values<Known> {
  const found = query === '' ? undefined : readPairs(query, known)
  const values: Record<string, unknown> = {}
  for (const [name, parameter] of Object.entries(known)) {
    const text = found?.get(name)
    values[name] = text === undefined ? parameter.absent : readValue(name, parameter, text)
  }
  return values as Values<Known>
}
