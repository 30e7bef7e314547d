import { isErrorFromAlias } from '@zodios/core'
import { api as endpoints, createApiClient } from './client'

const [base = '', key = ''] = process.argv.slice(2)
const headers = { authorization: `Bearer ${key}` }
// A list is repeated, without brackets.
const axiosConfig = { headers, paramsSerializer: { indexes: null } }
const api = createApiClient(base, { axiosConfig })

const { data: leads } = await api.listLeads({ queries: { limit: 5 } })
const leadId = leads[0]?.id ?? ''
const one = await api.getLead({ params: { leadId } })
const missing = await api
  .getLead({ params: { leadId: '00000000-0000-4000-8000-000000000000' } })
  .catch(error => isErrorFromAlias(endpoints.api, 'getLead', error) && error.response.data.error)
let [events, named, after] = [0, 0, 0]
for (;;) {
  const { data, meta } = await api.listEvents({ queries: { after, limit: 200, types: ['lead.created', 'signal.opened'] } })
  events += meta.count
  for (const event of data) if (event.event_type === 'lead.created' && event.data.lead_id !== '') named += 1
  after = meta.next_cursor
  if (meta.count === 0) break
}
console.log(JSON.stringify({ leads: leads.length, same: one.data.id === leadId, missing: missing && 'code' in missing && missing.code, events, named }))
