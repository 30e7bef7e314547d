// The reads on Fastify and pg as their documentation recommends: a response schema that becomes a compiled
// serializer, named prepared statements, a pool. No key, no limit, no log: nothing but the rows.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL_MAX),
})

const statements = JSON.parse(process.env.STATEMENTS)

const nullable = { type: ['string', 'null'] }
const moment = { type: 'string', format: 'date-time' }
const nullableMoment = { type: ['string', 'null'], format: 'date-time' }

const lead = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: nullable,
    email: nullable,
    phone: nullable,
    status: { type: 'string' },
    source_type: nullable,
    contacted_at: nullableMoment,
    archived_at: nullableMoment,
    archive_reason_code: nullable,
    parsed_data: { type: ['object', 'null'], additionalProperties: true },
    created_at: moment,
  },
}

const page = {
  type: 'object',
  properties: {
    api_version: { type: 'string' },
    data: { type: 'array', items: lead },
    meta: {
      type: 'object',
      properties: {
        count: { type: 'integer' },
        limit: { type: 'integer' },
        offset: { type: 'integer' },
      },
    },
  },
}

const querystring = {
  type: 'object',
  properties: {
    search: { type: 'string' },
    status: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
    include_archived: { type: 'boolean', default: false },
  },
}

const app = Fastify({ logger: false })

const ask = async (name, values) =>
  (await pool.query({ name, text: statements[name], values })).rows

app.get('/api/v1/leads', { schema: { querystring, response: { 200: page } } }, async request => {
  const { search = null, status = null, include_archived, limit, offset } = request.query
  const data = await ask('list', [search, status, include_archived, limit, offset])
  return { api_version: 'v1', data, meta: { count: data.length, limit, offset } }
})

const single = {
  type: 'object',
  properties: { api_version: { type: 'string' }, data: lead },
}

app.get('/api/v1/leads/:id', { schema: { response: { 200: single } } }, async (request, reply) => {
  const [data] = await ask('one', [request.params.id])
  return data ? { api_version: 'v1', data } : reply.code(404).send()
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })

process.on('SIGTERM', async () => {
  await app.close()
  await pool.end()
})
