// TLS to PostgreSQL: what postgres.js does not read from an address.
import { readFileSync } from 'node:fs'
import { hostUrls } from '../lib/host_urls.ts'

/** The address without sslrootcert, which postgres.js would send to the server, and what that stands for. */
export function readTlsOptions(url: string) {
  const [, file] = /[?&]sslrootcert=([^&]*)/.exec(url) ?? []
  if (file === undefined) return { url }
  const without = url.replace(/([?&])sslrootcert=[^&]*&?/, '$1').replace(/[?&]$/, '')
  if (file === 'system') return { url: without }
  const ca = readFileSync(decodeURIComponent(file), 'utf8')
  if (hostUrls(url).length > 1) return { url: without, ssl: { ca } }
  // Deno compares the certificate with "localhost" where the host is an IP address and not given here.
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return { url: without, ssl: { ca, host } }
}
