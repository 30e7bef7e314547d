// The reads on Fastify and pg as their documentation recommends: a response schema that becomes a compiled
// serializer, named prepared statements, a pool. No key, no limit, no log: nothing but the rows.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL_MAX),
})

const statements = JSON.parse(process.env.STATEMENTS)

const text = { type: 'string' }
const nullable = { type: ['string', 'null'] }
const nullableMoment = { ...nullable, format: 'date-time' }
const integer = { type: 'integer' }
const object = properties => ({ type: 'object', properties })

const lead = object({
  id: text,
  name: nullable,
  email: nullable,
  phone: nullable,
  status: text,
  source_type: nullable,
  contacted_at: nullableMoment,
  archived_at: nullableMoment,
  archive_reason_code: nullable,
  parsed_data: { type: ['object', 'null'], additionalProperties: true },
  created_at: { ...text, format: 'date-time' },
})
const single = object({ api_version: text, data: lead })
const page = object({
  api_version: text,
  data: { type: 'array', items: lead },
  meta: object({ count: integer, limit: integer, offset: integer }),
})
const limit = { ...integer, minimum: 1, maximum: 200, default: 50 }
const querystring = object({ search: text, limit })

const app = Fastify({ logger: false })

const ask = async (name, values) =>
  (await pool.query({ name, text: statements[name], values })).rows

app.get('/api/v1/leads', { schema: { querystring, response: { 200: page } } }, async request => {
  const { search = null, limit } = request.query
  const data = await ask('list', [search, null, false, limit, 0])
  return { api_version: 'v1', data, meta: { count: data.length, limit, offset: 0 } }
})

app.get('/api/v1/leads/:id', { schema: { response: { 200: single } } }, async (request, reply) => {
  const [data] = await ask('one', [request.params.id])
  return data ? { api_version: 'v1', data } : reply.code(404).send()
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })

process.on('SIGTERM', async () => {
  await app.close()
  await pool.end()
})
