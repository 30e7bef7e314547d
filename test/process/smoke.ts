// A workspace at work: every face of the service once, over whatever lies between it and the database.
import { expect } from 'bun:test'
import type { Sql } from '../../src/db/connect.ts'
import * as factory from '../support/database/factory.ts'
import type { Hooks } from '../support/delivery/delivery.ts'
import type { TestService } from '../support/http/service.ts'
import { callTool } from '../support/http/tool_calls.ts'
import { until } from '../support/until.ts'

export type Workspace = { lead: string; meeting: string; kontakt: string }

/** Rows of every kind that REST shows, as the platform writes them. */
export async function writeWorkspace(sql: Sql): Promise<Workspace> {
  const lead = await factory.lead(sql)
  await factory.analysis(sql, { lead_id: lead.id })
  const kontakt = 'email:erika@example.org'
  await factory.haushalt(sql, { kontakt_key: kontakt })
  const appointment = await factory.appointment(sql, { lead_id: lead.id })
  await factory.meeting(sql, { appointment_id: appointment.id })
  await factory.signal(sql, { lead_id: lead.id })
  await factory.advisoryDoc(sql, { lead_id: lead.id })
  return { lead: lead.id, meeting: appointment.id, kontakt }
}

const statusOf = async (api: TestService, path: string) => (await api.send(path)).status

/** Every path of REST, and tools: all answer 200. */
export async function readEverything(api: TestService, { lead, meeting, kontakt }: Workspace) {
  const paths = [
    '/leads',
    '/leads?search=muster',
    `/leads/${lead}`,
    `/leads/${lead}/analysis`,
    '/kontakte',
    `/kontakte/${kontakt}`,
    `/kontakte/${kontakt}/haushalt`,
    '/appointments',
    `/meetings/${meeting}/intelligence`,
    '/signals',
    '/events?limit=200',
    '/events?types=lead.created',
    '/hooks',
    '/hooks/sample',
    '/schemas/analysis',
  ]
  const statuses = await Promise.all(paths.map(path => statusOf(api, path)))
  expect(paths.map((path, index) => [path, statuses[index]])).toEqual(
    paths.map(path => [path, 200]),
  )
  const { envelope } = await callTool(api, 'search_leads', { query: 'mustermann' })
  expect(envelope.data).toMatchObject([{ id: lead }])
}

/** Subscribes over HTTP; a change by `writer` arrives signed, stands in the feed once; the subscription ends. */
export async function deliverOnce(api: TestService, hooks: Hooks, writer: Sql, path: string) {
  const target_url = hooks.receiver.url(path)
  const wanted = { target_url, event_types: ['lead.created'] }
  const { status, body } = await api.send('/hooks', {
    method: 'POST',
    body: JSON.stringify(wanted),
  })
  expect(status).toBe(201)
  const lead = await factory.lead(writer, { name: 'Max Beispiel' })
  const [received] = await until(async () => {
    const requests = await hooks.receiver.requests(path)
    return requests.length > 0 ? requests : undefined
  }, 10_000)
  expect(JSON.parse(received?.body ?? '')).toMatchObject({ object_id: lead.id })
  const page = await api.send('/events?types=lead.created&limit=200')
  const own = page.body.data.filter((event: { object_id: string }) => event.object_id === lead.id)
  expect(own).toHaveLength(1)
  expect((await api.send(`/hooks/${body.data.id}`, { method: 'DELETE' })).status).toBe(200)
}
