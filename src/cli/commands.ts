// The commands. Each exits 0 on success and explains a failure in one sentence on stderr.

import { printConfig } from '../config/print.ts'
import { type Config, environment, readConfig } from '../config/settings.ts'
import { ConfigError } from '../lib/config_error.ts'
import { version } from '../version.ts'
import { readArguments } from './arguments.ts'
import { demo } from './demo.ts'
import { erase } from './erase.ts'
import { feed } from './feed.ts'
import { health } from './health.ts'
import { hooks } from './hooks.ts'
import { keys } from './keys.ts'
import { listen } from './listen.ts'
import { migrateCommand } from './migrate.ts'
import { openapi } from './openapi.ts'
import { progress, UsageError, write } from './output.ts'
import { redact } from './redact.ts'
import { roles } from './roles.ts'
import { serve } from './serve.ts'

export type Command = (config: Config, args: string[]) => Promise<void>

const usage = `Usage: workspace-data-api [command]

  serve                                  serve the API (default)
  migrate                                bring the database to this version's schema
  roles [--prefix P]                     make or update the roles of least privilege
  demo [--leads N]                       load demo data into an empty database
  keys create --label L [--scopes a,b] [--expires MOMENT]
                                         make an API key; prints it once
  keys list                              list the keys
  keys revoke KEY|PREFIX|ID              revoke a key
  hooks list                             list the webhook subscriptions and their state
  hooks reactivate ID [--deliver-missed] let a paused one receive again
  hooks deliver-missed ID                send what it missed, and what failed, again
  hooks dismiss ID                       forget what it missed and what failed
  hooks test ID [--type T]               send it a test event
  hooks rotate ID [--again]              make a new signing secret; prints it once
  hooks switch ID                        let the new secret lead before 24 hours are over
  hooks deliveries ID [--state S]        its newest failed, pending, skipped or delivered ones
  hooks redeliver ID CURSOR              send one delivery again
  hooks notice-secret                    print the secret that signs notices to OWNER_WEBHOOK_URL
  hooks trigger TYPE [--forward URL [--secret S]]
                                         a marked test event: to every one that lists it, or to a local address
  listen --url URL --key KEY --forward http://localhost:…
         [--types a,b] [--after CURSOR] [--secret S] [--sample TYPE]
                                         follow the feed and post each event, signed, to a local receiver
  redact [--restart]                     remove raw income from rows that are stored already
  erase KEY [--yes]                      erase a person, and report which webhooks received events
  health                                 ask the local service whether it is ready
  feed advance                           after a disk snapshot: move the feed beyond every cursor given out
  config                                 print the effective configuration
  openapi                                print the API description
  help                                   print this
`

export const commands: Record<string, Command> = {
  serve,
  migrate: migrateCommand,
  roles,
  demo,
  feed,
  hooks,
  keys,
  listen,
  redact,
  erase,
  health,
  openapi,
  config: async (config, args) => {
    readArguments(args, [])
    write(printConfig(config, environment()))
  },
}

const help = () => write(usage.trimEnd())

/** Of use where the configuration is mistaken, too. */
const about: Record<string, () => void> = {
  help,
  '--help': help,
  '-h': help,
  '--version': () => write(version),
  '-v': () => write(version),
}

const asksForHelp = (args: string[]) => args.some(arg => arg === '--help' || arg === '-h')

async function runNamed(name: string, args: string[]): Promise<void> {
  if (Object.hasOwn(about, name)) {
    readArguments(args, [])
    return about[name]?.()
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new UsageError(`There is no command ${name}.\n\n${usage.trimEnd()}`)
  if (asksForHelp(args)) return help()
  await command(readConfig(environment()), args)
}

/** Runs one command line; returns the exit code. */
export async function runCommand([name = 'serve', ...args]: string[]): Promise<number> {
  try {
    await runNamed(name, args)
    return 0
  } catch (error) {
    const expected = error instanceof UsageError || error instanceof ConfigError
    progress(error instanceof Error ? error.message || error.name : String(error))
    return expected ? 2 : 1
  }
}
