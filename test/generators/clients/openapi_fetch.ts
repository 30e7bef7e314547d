import createClient from 'openapi-fetch'
import type { components, paths } from './schema'

type Lead = components['schemas']['Lead']

const [baseUrl = '', key = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

const list = await client.GET('/leads', { params: { query: { limit: 5 } } })
if (!list.data) throw new Error(list.error.error.code)
const leads: Lead[] = list.data.data
const leadId = leads[0]?.id ?? ''
const one = await client.GET('/leads/{leadId}', { params: { path: { leadId } } })
const missing = await client.GET('/leads/{leadId}', {
  params: { path: { leadId: '00000000-0000-4000-8000-000000000000' } },
})
let [events, named, after] = [0, 0, 0]
for (;;) {
  const { data, error } = await client.GET('/events', {
    params: { query: { after, limit: 200, types: ['lead.created', 'signal.opened'] } },
  })
  if (!data) throw new Error(error.error.code)
  events += data.meta.count
  for (const event of data.data)
    if (event.event_type === 'lead.created' && event.data.lead_id !== '') named += 1
  after = data.meta.next_cursor
  if (data.meta.count === 0) break
}
console.log(JSON.stringify({ leads: leads.length, same: one.data?.data.id === leadId, missing: missing.error?.error.code, events, named }))
