// Which codings a client takes its answers in.

/** Whether the client takes a coding, such as gzip; one that it refuses has the weight 0. */
export const acceptsCoding = (request: Request, coding: string): boolean =>
  (request.headers.get('accept-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .some(one => {
      const [name = '', weight = 'q=1'] = one.split(';').map(part => part.trim())
      return name === coding && Number(weight.slice(2)) > 0
    })
