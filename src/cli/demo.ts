// demo: loads demo data into an empty database.
import type { Config } from '../config/settings.ts'
import { isEmpty, loadDemo } from '../demo/load.ts'
import { readArguments } from './arguments.ts'
import { withDatabase } from './database.ts'
import { progressBar, UsageError, write } from './output.ts'

const leadsMax = 1_000_000
export const demoLeads = 500

export async function demo(config: Config, args: string[]): Promise<void> {
  const { options } = readArguments(args, ['leads'])
  const leads = options.leads === undefined ? demoLeads : Number(options.leads)
  if (!/^\d{1,7}$/.test(options.leads ?? '1') || leads < 1 || leads > leadsMax)
    throw new UsageError(`--leads takes a whole number from 1 to ${leadsMax}.`)
  await withDatabase(
    config,
    async ({ sql }) => {
      if (!(await isEmpty(sql)))
        throw new Error('The database holds leads already; demo data goes into an empty one only.')
      await loadDemo(sql, leads, progressBar('demo data'))
    },
    { migrates: true },
  )
  write(`loaded demo data with ${leads} leads`)
}
