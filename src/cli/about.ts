// config | health | openapi: what the service is, and whether it is ready.
import { apiDocument } from '../api/docs/document.ts'
import { printConfig } from '../config/print.ts'
import { environment, publicUrlOf } from '../config/settings.ts'
import { goWithoutProxy } from '../lib/proxy.ts'
import type { Command } from './command.ts'
import { UsageError, write } from './output.ts'

export const config: Command = {
  line: 'config',
  does: 'prints every setting with its value, secrets masked, and where it is from',
  run: (_given, settings) => write(printConfig(settings, environment())),
}

export const openapi: Command = {
  line: 'openapi',
  does: 'prints the API description',
  run(_given, settings) {
    const url = publicUrlOf(settings, settings.PORT)
    write(JSON.stringify(apiDocument(url, settings.RATE_LIMIT_PER_MINUTE), null, 2))
  },
}

const timeoutMs = 3_000

// A service that listens on every address listens on this one.
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' }

/** For the image's health check, which has no curl. */
export const health: Command = {
  line: 'health',
  does: 'asks the service of this configuration whether it is ready; with ROLES=worker it asks nothing',
  async run(_given, { ROLES, PORT, HOST }) {
    if (!ROLES.includes('api')) return write('a worker alone answers no requests')
    if (PORT === 0) throw new UsageError('health needs the PORT that the service listens on.')
    const url = `${publicUrlOf({ HOST: loopback[HOST] ?? HOST, PUBLIC_URL: undefined }, PORT)}/readyz`
    goWithoutProxy(['*'])
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => {
      throw new Error(`Nothing answers at ${url}.`)
    })
    const body = (await response.json().catch(() => null)) as { error?: { message: string } } | null
    if (body === null) throw new Error(`What answers at ${url} is not this service.`)
    if (!response.ok) throw new Error(body.error?.message ?? `${url} answers ${response.status}.`)
    write('ready')
  },
}
