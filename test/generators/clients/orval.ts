import * as zod from './orval'

const [base = '', key = ''] = process.argv.slice(2)
const get = async (path: string) =>
  (await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })).json()

const { data: leads } = zod.listLeadsResponse.parse(await get('/leads?limit=5'))
const leadId = leads[0]?.id ?? ''
const one = zod.getLeadResponse.parse(await get(`/leads/${leadId}`))
const missing = await get('/leads/00000000-0000-4000-8000-000000000000')
let [events, named, after] = [0, 0, 0]
for (;;) {
  const page = await get(`/events?after=${after}&limit=200&types=lead.created,signal.opened`)
  const { data, meta } = zod.listEventsResponse.parse(page)
  events += meta.count
  for (const event of data) if (event.event_type === 'lead.created' && event.data.lead_id !== '') named += 1
  after = meta.next_cursor
  if (meta.count === 0) break
}
console.log(JSON.stringify({ leads: leads.length, same: one.data.id === leadId, missing: missing.error.code, events, named }))
