// GET /api/v1/leads on Fastify and pg as their documentation recommends: a response schema that becomes a
// compiled serializer, a named prepared statement, a pool. No key, no limit, no log: nothing but the page.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL_MAX),
})

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
    status: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
    offset: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 0 },
    include_archived: { type: 'boolean', default: false },
  },
}

const app = Fastify({ logger: false })

app.get('/api/v1/leads', { schema: { querystring, response: { 200: page } } }, async request => {
  const { status = null, include_archived, limit, offset } = request.query
  const { rows } = await pool.query({
    name: 'list_leads',
    text: process.env.STATEMENT,
    values: [status, include_archived, limit, offset],
  })
  return { api_version: 'v1', data: rows, meta: { count: rows.length, limit, offset } }
})

await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })

process.on('SIGTERM', async () => {
  await app.close()
  await pool.end()
})
