// The reads on Hono and postgres.js on Bun, as their documentation recommends: prepared statements, a pool.
// No key, no limit, no log: nothing but the rows.
import { Hono } from 'hono'
import postgres from 'postgres'

const { DATABASE_URL = '', POOL_MAX, PORT, STATEMENTS = '' } = process.env
const statements = JSON.parse(STATEMENTS) as Record<'list' | 'one', string>
const sql = postgres(DATABASE_URL, { max: Number(POOL_MAX) })

const ask = (name: keyof typeof statements, values: (string | number | boolean | null)[]) =>
  sql.unsafe(statements[name], values, { prepare: true })

const app = new Hono()

app.get('/api/v1/leads', async context => {
  const { search = null, limit: asked = '50' } = context.req.query()
  const limit = Number(asked)
  const data = await ask('list', [search, null, false, limit, 0])
  return context.json({ api_version: 'v1', data, meta: { count: data.length, limit, offset: 0 } })
})

app.get('/api/v1/leads/:id', async context => {
  const [data] = await ask('one', [context.req.param('id')])
  return data ? context.json({ api_version: 'v1', data }) : context.notFound()
})

const server = Bun.serve({ hostname: '127.0.0.1', port: Number(PORT), fetch: app.fetch })

process.on('SIGTERM', async () => {
  await server.stop(true)
  await sql.end()
})
