// What happens to the log costs lines of the log, never the service.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { useDatabase } from '../support/database/database.ts'
import { secretsKey } from '../support/http/settings.ts'
import { launch, missing, runtimes } from '../support/process/program.ts'

const database = useDatabase()

const full = '/dev/full'
const left = existsSync(full) ? '' : ` (skipped: there is no ${full} here)`

// The binary is the sources on Bun.
for (const runtime of runtimes.filter(one => one !== 'Bun' && missing(one) === undefined))
  test.skipIf(left !== '')(
    `on ${runtime}, with its log on a full disk, the service answers and stops${left}`,
    async () => {
      const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey }
      const service = await launch(runtime, env, full)
      const url = await service.listens()
      // More than is gathered before it is written, so that lines are refused while it serves.
      for (let times = 0; times < 100; times += 1)
        expect((await fetch(`${url}/nothing`)).status).toBe(404)
      expect(await service.stop()).toBe(0)
      expect(service.output()).not.toContain('ENOSPC')
    },
    40_000,
  )
