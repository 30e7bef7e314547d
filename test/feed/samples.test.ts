// GET /hooks/sample: an example of each type, field for field a live event, and no trace of it elsewhere.
import { beforeAll, expect, test } from 'bun:test'
import { loadDemo } from '../../src/demo/load.ts'
import { eventTypes } from '../../src/model/event_type.ts'
import { feedReader, type ReadEvent } from '../support/feed/feed_reader.ts'
import { isSequenced } from '../support/feed/sequencing.ts'
import { useService, useWorker } from '../support/http/service.ts'
import { until } from '../support/until.ts'

const api = useService()
useWorker(api)
let live: ReadEvent[]
let samples: ReadEvent[]

beforeAll(async () => {
  samples = (await api.send('/hooks/sample')).body.data
  await loadDemo(api.sql, 60, () => {})
  await api.sql`update meeting_intelligence set status = 'failed' where appointment_id = (select appointment_id from meeting_intelligence limit 1)`
  await api.sql`update leads set status = 'won' where id = (select id from leads where status = 'new' limit 1)`
  await api.sql`update appointments set title = title || '!' where id = (select id from appointments where title is not null limit 1)`
  await api.sql`select merge_kontakte('a@example.org', 'b@example.org')`
  await api.sql`update signals set status = 'dismissed', outcome = 'kein_interesse' where id = (select id from signals where status = 'open' limit 1)`
  await until(() => isSequenced(api.sql), 20_000)
  live = await feedReader(api).readAll()
}, 60_000)

/** Which members there are, at every depth that is the same for every event of a type. */
const fieldsOf = ({ event_type, data, ...envelope }: ReadEvent) => ({
  envelope: Object.keys(envelope).filter(name => name !== 'cursor'),
  links: Object.keys(envelope.links),
  data: Object.keys(data).sort(),
  versions: [event_type, envelope.schema_version, envelope.object_type],
})

test('there is one sample of each type, in the order of the contract', () => {
  expect(samples.map(({ event_type }) => event_type)).toEqual(eventTypes)
})

for (const type of eventTypes)
  test(`the sample of ${type} has the fields of a live event`, () => {
    const sample = samples.find(({ event_type }) => event_type === type) as ReadEvent
    const alive = live.find(({ event_type }) => event_type === type)
    expect(alive).toBeDefined()
    expect(fieldsOf(sample)).toEqual(fieldsOf(alive as ReadEvent))
  })

test('a sample fills every field there is to fill, and has no cursor', () => {
  for (const { event_type, data, ...envelope } of samples) {
    expect(envelope).not.toHaveProperty('cursor')
    const empty = Object.keys(data).filter(name => data[name] === null)
    // An analysis has no quelle; a household's check would have no channel.
    expect([event_type, ...empty]).toEqual(
      event_type === 'din.check_completed' ? [event_type, 'quelle'] : [event_type],
    )
  }
})

test('type picks one', async () => {
  const { body } = await api.send('/hooks/sample?type=signal.opened')
  expect(body.data).toEqual(samples.filter(({ event_type }) => event_type === 'signal.opened'))
  expect(body.meta).toEqual({ count: 1 })
})

test('samples leave no trace in the workspace or the feed', () => {
  expect(live.some(({ id }) => samples.some(sample => sample.id === id))).toBe(false)
  expect(JSON.stringify(live)).not.toContain('beispiel.person@sample.example.org')
})
