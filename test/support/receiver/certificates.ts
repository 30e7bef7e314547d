// Certificates of a test run: an authority of its own, and one certificate for each way to be right or wrong.
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import type { generate } from 'selfsigned'

export type CertificatePair = { key: string; cert: string }

const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs

type Extensions = NonNullable<Parameters<typeof generate>[1]>['extensions']

async function pair(
  name: string,
  extensions: Extensions,
  ca?: CertificatePair,
  ageMs = hourMs,
): Promise<CertificatePair> {
  // A tenth of a second to load, which a process that finds certificates does without.
  const selfsigned = await import('selfsigned')
  const made = await selfsigned.generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - ageMs),
    notAfterDate: new Date(Date.now() - ageMs + dayMs),
    ...(extensions && { extensions }),
    ...(ca && { ca }),
  })
  return { key: made.private, cert: made.cert }
}

const names = (...values: string[]): Extensions => [
  { name: 'basicConstraints', cA: false },
  {
    name: 'subjectAltName',
    altNames: [...values.map(value => ({ type: 2 as const, value })), { type: 7, ip: '127.0.0.1' }],
  },
]

async function make(authority: string) {
  const ca = await pair(authority, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ])
  const [right, otherName, untrusted, expired] = await Promise.all([
    pair('hooks.example', names('hooks.example', '*.hooks.example', 'localhost'), ca),
    pair(
      'other.example',
      [
        { name: 'basicConstraints', cA: false },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'other.example' }] },
      ],
      ca,
    ),
    pair('hooks.example', names('hooks.example', 'localhost')),
    pair('hooks.example', names('hooks.example', 'localhost'), ca, 2 * dayMs),
  ])
  return { ca: ca.cert, right, otherName, untrusted, expired }
}

export type Certificates = Awaited<ReturnType<typeof make>>

/**
 * Two authorities that are trusted at once need two names. TEST_CERTIFICATES names a directory of the run: what one process
 * has made there, the others use.
 */
export async function makeCertificates(
  authority = 'Authority of the tests',
): Promise<Certificates> {
  const dir = process.env.TEST_CERTIFICATES
  if (dir === undefined) return await make(authority)
  const file = join(dir, `${authority}.json`)
  if (await Bun.file(file).exists()) return await Bun.file(file).json()
  const made = await make(authority)
  // Complete as soon as it is there; of several at once the last one stays.
  await Bun.write(`${file}.${process.pid}`, JSON.stringify(made))
  renameSync(`${file}.${process.pid}`, file)
  return made
}
