// One process of the service, API and worker, to be killed. Takes settings and the database's address; says on stdout where it listens.
import { startService } from '../../../src/api/start.ts'
import { startWorker } from '../../../src/worker/start.ts'
import { quietLog } from '../http/service.ts'
import { testConfig } from '../http/settings.ts'

const [settings = '{}', url = ''] = process.argv.slice(2)
const config = testConfig(JSON.parse(settings))
await startWorker(config, url, quietLog())
const service = await startService(config, url, quietLog())
process.stdout.write(`${service.url}\n`)
