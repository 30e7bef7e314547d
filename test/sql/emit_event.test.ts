// emit_event takes the members that were published for the event type, and nothing else; a refusal repeats nothing of it.
import { expect, test } from 'bun:test'
import { payloads } from '../../src/model/event.ts'
import { eventTypes, schemaVersions } from '../../src/model/event_type.ts'
import sampleEvents from '../../src/model/sample_events.json' with { type: 'json' }
import { useDatabase } from '../support/database/database.ts'

const database = useDatabase()

const signal = {
  ...{ signal_id: '3f2b8c1e-9d4a-4b7e-8f6a-1c2d3e4f5a6b', kind: 'kuendigung', score: 1.5 },
  ...{ title: 'Vertrag läuft aus', status: 'open', quelle: null },
  ...{ kontakt_key: 'phone:+491713920001', lead_id: '4bd572d2-e142-411c-95f0-3cc7e98871cc' },
}
const given = { type: 'signal.opened', object: 'signal', id: 'x', data: signal as unknown }
type Given = { [member in keyof typeof given]?: unknown }

const emit = (changes: Given) => {
  const { type, object, id, data } = { ...given, ...changes } as typeof given
  return database.sql`select emit_event(${type}, ${object}, ${id}, '{}', ${JSON.stringify(data)}::text::jsonb) as id`
}

test('the members in the database are the ones that /openapi.json publishes', async () => {
  const rows =
    await database.sql`select event_type, schema_version, to_json(members)::text as members from event_types order by position`
  expect(rows.map(row => [row.event_type, row.schema_version, JSON.parse(row.members)])).toEqual(
    eventTypes.map(type => [type, schemaVersions[type], Object.keys(payloads[type].properties)]),
  )
  for (const type of eventTypes)
    expect<string[]>(payloads[type].required).toEqual(Object.keys(payloads[type].properties))
})

test('the sample of every type is taken, and neither more nor less', async () => {
  const samples = sampleEvents.map(({ event_type, data }) => ({
    type: event_type,
    data: JSON.stringify(data),
  }))
  expect(samples.map(row => row.type).toSorted()).toEqual([...eventTypes].toSorted())
  for (const { type, data } of samples) {
    const { ...less } = JSON.parse(data)
    delete less[Object.keys(less)[0] as string]
    for (const wrong of [{}, less, { ...JSON.parse(data), geheim_4711: 1 }])
      await expect(emit({ type, data: wrong })).rejects.toMatchObject({
        code: '22023',
        message: expect.stringMatching(/^data of [\w.]+ has exactly the members [\w, ]+$/),
      })
    await emit({ type, data: JSON.parse(data) })
  }
})

const noObject = /^object_type must be one of/

test.each<[Given, RegExp]>([
  [{ type: 'lead.deleted' }, /^There is no event type lead.deleted/],
  [{ data: [] }, /must be a JSON object/],
  [{ object: 'foo' }, noObject],
  [{ object: null }, noObject],
  [{ id: '' }, noObject],
  [{ id: null }, noObject],
])('%j is refused', async (changes, message) => {
  const refused = { code: '22023', message: expect.stringMatching(message) }
  await expect(emit(changes)).rejects.toMatchObject(refused)
})

test('a title that names an income leaves what identifies something as it was given', async () => {
  const [row] = await emit({ data: { ...signal, title: 'Einkommen absichern: 4.200 EUR' } })
  const [stored] = await database.sql`select data::text as data from events where id = ${row?.id}`
  expect(JSON.parse(stored?.data)).toEqual({ ...signal, title: 'Einkommen absichern: [entfernt]' })
})
