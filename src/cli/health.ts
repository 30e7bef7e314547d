// health: asks the service of this configuration whether it is ready. For the image's health check, which has no curl.

import { publicUrlOf } from '../config/public_url.ts'
import type { Config } from '../config/settings.ts'
import { goWithoutProxy } from '../lib/proxy.ts'
import { readArguments } from './arguments.ts'
import { UsageError, write } from './output.ts'

const timeoutMs = 3_000

// A service that listens on every address listens on this one.
const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', '[::]': '::1' }

export async function health(config: Config, args: string[]): Promise<void> {
  readArguments(args, [])
  if (!config.ROLES.includes('api')) return write('a worker alone answers no requests')
  if (config.PORT === 0) throw new UsageError('health needs the PORT that the service listens on.')
  const HOST = loopback[config.HOST] ?? config.HOST
  const url = `${publicUrlOf({ HOST, PUBLIC_URL: undefined }, config.PORT)}/readyz`
  goWithoutProxy(['*'])
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => {
    throw new Error(`Nothing answers at ${url}.`)
  })
  const body = (await response.json().catch(() => null)) as { error?: { message: string } } | null
  if (body === null) throw new Error(`What answers at ${url} is not this service.`)
  if (!response.ok) throw new Error(body.error?.message ?? `${url} answers ${response.status}.`)
  write('ready')
}
