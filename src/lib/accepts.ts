// What a client accepts, and how much (RFC 9110, 12.4.2).

/** The weights of what a header such as Accept names, in lower case; 0: not at all. */
export const weightsOf = (header: string | null): Map<string, number> =>
  new Map(
    (header ?? '')
      .toLowerCase()
      .split(',')
      .map(entry => {
        const [name = '', ...parameters] = entry.split(';').map(part => part.trim())
        const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
        return [name, weight === undefined ? 1 : Number(weight) || 0]
      }),
  )

/** Whether the client takes a coding, such as gzip. */
export const acceptsCoding = (request: Request, coding: string): boolean =>
  (weightsOf(request.headers.get('accept-encoding')).get(coding) ?? 0) > 0

/** Bytes. Smaller bodies fit in the packets that they need anyway. */
export const compressedMin = 1_024
