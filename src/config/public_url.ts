// How a service is addressed.
import { isIP } from 'node:net'
import type { Config } from './settings.ts'

/** Where clients reach a service that listens on `port`. */
export const publicUrlOf = (
  { PUBLIC_URL, HOST }: Pick<Config, 'PUBLIC_URL' | 'HOST'>,
  port: number,
): string => PUBLIC_URL ?? `http://${isIP(HOST) === 6 ? `[${HOST}]` : HOST}:${port}`
