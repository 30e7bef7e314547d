import { Configuration, EventsApi, EventType, type Lead, LeadsApi, ResponseError } from './index'

const [basePath = '', key = ''] = process.argv.slice(2)
const settings = new Configuration({ basePath, accessToken: key })
const [api, feed] = [new LeadsApi(settings), new EventsApi(settings)]

const leads: Lead[] = (await api.listLeads({ limit: 5 })).data
const leadId = leads[0]?.id ?? ''
const one = (await api.getLead({ leadId })).data
let missing = ''
try {
  await api.getLead({ leadId: '00000000-0000-4000-8000-000000000000' })
} catch (refusal) {
  const { error } = (await (refusal as ResponseError).response.json()) as { error: { code: string } }
  missing = error.code
}
let [events, named, after] = [0, 0, 0]
for (;;) {
  const page = await feed.listEvents({ after, limit: 200, types: [EventType.LeadCreated, EventType.SignalOpened] })
  events += page.meta.count
  for (const event of page.data) if (event.eventType === 'lead.created') named += 1
  after = page.meta.nextCursor
  if (page.meta.count === 0) break
}
console.log(JSON.stringify({ leads: leads.length, same: one.id === leadId, missing, events, named }))
