// PostGraphile on Node as its documentation recommends for production: the Amber preset, served by its own server,
// GRAPHILE_ENV=production. It makes its statements itself; the search is a function, its way to a query of one's own.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({
      connectionString: process.env.DATABASE_URL,
      schemas: ['public'],
      poolConfig: { max: Number(process.env.POOL_MAX) },
    }),
  ],
  // By GET it is asked whether it is up.
  grafserv: { graphiql: false, watch: false, graphqlOverGET: true },
  grafast: { explain: false },
})

const server = createServer()
await instance.createServ(grafserv).addTo(server)
server.listen(Number(process.env.PORT), '127.0.0.1')

process.on('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await instance.release()
})
