// TLS to PostgreSQL: what postgres.js does not read from an address, and what is wrong where none comes about.
import { readFileSync } from 'node:fs'
import { connect as dial } from 'node:net'
import { errorCodeOf } from '../lib/error_code.ts'
import { hostUrls } from '../lib/host_urls.ts'
import { withTimeout } from '../lib/timeout.ts'

const lookMs = 2_000
// The message SSLRequest: its length, and its code.
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const refusal = 'N'.charCodeAt(0)

/** The host of an address as sockets and certificates have it: an IPv6 address without brackets. */
export const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** The address of one host without sslrootcert, which postgres.js would send to the server, and what that stands for. */
export function readTlsOptions(url: string) {
  const address = new URL(url)
  const { searchParams } = address
  const file = searchParams.get('sslrootcert')
  if (file === null) return { url }
  searchParams.delete('sslrootcert')
  if (file === 'system') return { url: address.href }
  // Deno compares the certificate with "localhost" where the host is an IP address and not given here.
  return { url: address.href, ssl: { ca: readFileSync(file, 'utf8'), host: hostOf(url) } }
}

// OpenSSL's reasons, as Bun and Deno name them.
const untrusted = /^(UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|CERT_|ERR_TLS_)/

const mistakes: Record<string, [mistake: string, remedy: string]> = {
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "the server's certificate has another name",
    'the address has to have the host as the certificate has it',
  ],
  CERT_HAS_EXPIRED: ["the server's certificate has expired", 'it has to be renewed there'],
}

/** What is wrong with the server's certificate, and the remedy; undefined: nothing is. */
export function certificateMistake(error: unknown): [string, string] | undefined {
  const code = errorCodeOf(error)
  if (!untrusted.test(code)) return undefined
  return (
    mistakes[code] ?? [
      "the server's certificate is not trusted",
      'sslrootcert=FILE in the address names the certificate of its authority',
    ]
  )
}

const needsTls = (url: string): boolean =>
  !['disable', 'prefer'].includes(new URL(url).searchParams.get('sslmode') ?? 'disable')

async function refusesTls(url: string): Promise<boolean> {
  const socket = dial(Number(new URL(url).port || 5432), hostOf(url))
  const answer = new Promise<boolean>((resolve, reject) => {
    socket.once('connect', () => socket.write(tlsRequest))
    socket.once('data', data => resolve(data[0] === refusal))
    socket.once('error', reject).once('close', () => resolve(false))
  })
  try {
    return await withTimeout(answer, lookMs)
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Whether the address asks for TLS and no server there has it: postgres.js sees a connection that is lost. */
export async function lacksTls(url: string): Promise<boolean> {
  const refused = await Promise.all(
    hostUrls(url).map(async one => needsTls(one) && (await refusesTls(one))),
  )
  return refused.every(Boolean)
}
