import { client } from './hey/client.gen'
import { getLead, type Lead, listEvents, listLeads } from './hey'

const [baseUrl = '', key = ''] = process.argv.slice(2)
client.setConfig({ baseUrl, auth: key })

const list = await listLeads({ query: { limit: 5 } })
if (!list.data) throw new Error(JSON.stringify(list.error))
const leads: Lead[] = list.data.data
const leadId = leads[0]?.id ?? ''
const one = await getLead({ path: { leadId } })
const missing = await getLead({ path: { leadId: '00000000-0000-4000-8000-000000000000' } })
let [events, named, after] = [0, 0, 0]
for (;;) {
  const query = { after, limit: 200, types: ['lead.created' as const, 'signal.opened' as const] }
  const { data, error } = await listEvents({ query })
  if (!data) throw new Error(JSON.stringify(error))
  events += data.meta.count
  for (const event of data.data)
    if (event.event_type === 'lead.created' && event.data.lead_id !== '') named += 1
  after = Number(data.meta.next_cursor)
  if (data.meta.count === 0) break
}
console.log(JSON.stringify({ leads: leads.length, same: one.data?.data.id === leadId, missing: missing.error?.error.code, events, named }))
