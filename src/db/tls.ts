// TLS to PostgreSQL: what postgres.js does not read from an address, and whether the server has it at all.
import { readFileSync } from 'node:fs'
import { connect as dial } from 'node:net'
import { hostUrls } from '../lib/host_urls.ts'
import { withTimeout } from '../lib/timeout.ts'

const lookMs = 2_000
// The message SSLRequest: its length, and its code.
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const refusal = 'N'.charCodeAt(0)

/** The host of an address as sockets and certificates have it: an IPv6 address without brackets. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** The address without sslrootcert, which postgres.js would send to the server, and what that stands for. */
export function readTlsOptions(url: string) {
  const [, file] = /[?&]sslrootcert=([^&]*)/.exec(url) ?? []
  if (file === undefined) return { url }
  const without = url.replace(/([?&])sslrootcert=[^&]*&?/, '$1').replace(/[?&]$/, '')
  if (file === 'system') return { url: without }
  const ca = readFileSync(decodeURIComponent(file), 'utf8')
  const urls = hostUrls(url)
  // Deno compares the certificate with "localhost" where the host is an IP address and not given here.
  return { url: without, ssl: urls.length === 1 ? { ca, host: hostOf(url) } : { ca } }
}

async function refusesTls(url: string): Promise<boolean> {
  const socket = dial(Number(new URL(url).port || 5432), hostOf(url))
  const answer = new Promise<boolean>((resolve, reject) => {
    socket.once('connect', () => socket.write(tlsRequest))
    socket.once('data', data => resolve(data[0] === refusal))
    socket.once('error', reject).once('close', () => resolve(false))
  })
  return await withTimeout(answer, lookMs)
    .catch(() => false)
    .finally(() => socket.destroy())
}

/** Whether the address asks for TLS and no server there has it: postgres.js sees a connection that is lost. */
export async function lacksTls(url: string): Promise<boolean> {
  const refused = hostUrls(url).map(async one => {
    const mode = new URL(one).searchParams.get('sslmode') ?? 'disable'
    return !['disable', 'prefer'].includes(mode) && (await refusesTls(one))
  })
  return (await Promise.all(refused)).every(Boolean)
}
