// pgbench with the very statement the service sends: what PostgreSQL alone gives, without any service.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionSettings } from '../src/db/connect.ts'
import { asJson } from '../src/db/database.ts'
import type { QueryFile } from '../src/db/query_file.ts'
import { benchDir } from './processes.ts'

/** The parameters' types written out, for clients that do not send them with the statement. */
export const withTypes = (statement: string, file: QueryFile, named: (name: string) => string) =>
  statement.replace(/\$(\d)/g, (_, number) => {
    const parameter = file.parameters[Number(number) - 1]
    if (!parameter) throw new Error(`${file.path} has no $${number}`)
    return `${named(parameter.name).replace('$n', `$${number}`)}::${parameter.type}`
  })

export type PlanMode = 'auto' | 'force_custom_plan' | 'force_generic_plan'

/** What the service sets for its own sessions, as PGOPTIONS has it. */
export function sessionOptions(planMode: PlanMode): string {
  const settings = {
    ...sessionSettings,
    plan_cache_mode: planMode,
    statement_timeout: '5000',
  }
  // A space ends a value.
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
    .join(' ')
}

const installed = '/usr/lib/postgresql'

/** On the PATH, or where Debian puts it. */
export function findPgbench(): string | undefined {
  const onPath = Bun.which('pgbench')
  if (onPath) return onPath
  try {
    const versions = readdirSync(installed).sort((one, other) => Number(other) - Number(one))
    return versions
      .map(version => join(installed, version, 'bin/pgbench'))
      .find(path => Bun.which(path))
  } catch {
    return undefined
  }
}

/** Writes the script; returns its path. pgbench sends a variable that is null as the text NULL. */
export function writeScript(file: QueryFile, args: Record<string, string>): string {
  const sets = Object.entries(args).map(([name, value]) => `\\set ${name} ${value}`)
  const statement = withTypes(asJson(file), file, name =>
    args[name] === 'null' ? 'null' : `:${name}`,
  )
  const path = join(benchDir, `${file.name}.pgbench`)
  writeFileSync(path, `${sets.join('\n')}\n${statement};\n`)
  return path
}

type PgbenchRun = { clients: number; seconds: number; planMode: PlanMode }

/** Statements per second, the time to connect not counted. */
export async function runPgbench(
  program: string,
  script: string,
  url: string,
  { clients, seconds, planMode }: PgbenchRun,
): Promise<number> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const whole = Math.max(1, Math.round(seconds))
  const child = Bun.spawn(
    [
      program,
      '-n',
      '-M',
      'prepared',
      '-c',
      `${clients}`,
      '-j',
      '2',
      '-T',
      `${whole}`,
      '-f',
      script,
    ],
    {
      env: {
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGPASSWORD: password,
        PGDATABASE: pathname.slice(1),
        PGOPTIONS: sessionOptions(planMode),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  const rate = /tps = ([\d.]+) \(without initial/.exec(output)?.[1]
  if ((await child.exited) !== 0 || rate === undefined)
    throw new Error(`pgbench: ${errors.split('\n')[0]}`)
  return Number(rate)
}
