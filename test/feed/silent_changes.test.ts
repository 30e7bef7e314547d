// What the documentation says sends no event sends none: a copy that follows the feed alone misses it.
import { expect, test } from 'bun:test'
import { silentChanges } from '../../src/model/event_meaning.ts'
import * as factory from '../support/database/factory.ts'
import { feedReader } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)

test('changes that are documented to send nothing send nothing', async () => {
  const { sql } = api
  const { id: lead } = await factory.lead(sql, { archived_at: factory.moment })
  const { id: analysis } = await factory.analysis(sql, { lead_id: lead })
  await factory.haushalt(sql, { kontakt_key: 'email:still@example.org' })
  const { id: appointment } = await factory.appointment(sql, {})
  await factory.meeting(sql, { appointment_id: appointment })
  const { id: signal } = await factory.signal(sql, {})
  await until(() => isSequenced(sql))
  const reader = feedReader(api)
  const before = (await reader.readAll()).length
  await sql`
    update leads set name = 'Neu', phone = '+491713920009', contacted_at = now(), archived_at = null,
      archive_reason_code = null, parsed_data = '{"a": 1}' where id = ${lead}`
  await sql`update lead_analyses set analysis_v2 = '{"a": 1}' where id = ${analysis}`
  await sql`update haushalte set provenance = '{"a": 1}', empfehlungen_aktuell = '{"a": 1}'`
  await sql`
    update appointments set status = 'no_show', intelligence_status = 'ready', source = 'x', customer_display_name = 'Neu'
    where id = ${appointment}`
  await sql`update meeting_intelligence set summary = 'Neu', overall_score = 1`
  await sql`update signals set score = 2, title = 'Neu', kind = 'neu' where id = ${signal}`
  await sql`delete from signals where id = ${signal}`
  await factory.lead(sql, { name: 'das einzige Ereignis' })
  await until(() => isSequenced(sql))
  const after = (await reader.readAll()).slice(before)
  expect(after.map(({ event_type, data }) => [event_type, data.name])).toEqual([
    ['lead.created', 'das einzige Ereignis'],
  ])
})

test('the description lists them', async () => {
  const { tags } = (await api.send('/openapi.json')).body
  const texts = tags.map(({ description }: { description: string }) => description).join()
  for (const { resource, changes } of silentChanges)
    expect(texts).toContain(`- ${resource}: ${changes}.`)
})
