// Which files a replica may answer: those that read the workspace's resources, and none that must be up to date.
import { expect, test } from 'bun:test'
import { queries } from '../../src/db/queries.ts'
import { isReading } from '../../src/db/query_file.ts'

// Keys, the feed, webhooks, the owner's own and the state of the service are true as of now.
const upToDate = ['events', 'hooks', 'keys', 'owner', 'redaction', 'roles', 'service']

const exceptions: Record<string, string> = {
  'leads/get_lead_presence': 'whether the demo may be loaded',
  'kontakte/get_kontakt_leads': 'who is to be erased',
  'kontakte/get_kontakt_holdings': 'what is to be erased',
}

test('a replica answers every file that reads a resource, and no other', () => {
  const files = Object.values(queries)
  const expected = files.filter(
    file =>
      isReading(file) &&
      !upToDate.includes(file.path.split('/')[0] ?? '') &&
      !(file.path in exceptions),
  )
  expect(expected.length).toBeGreaterThan(10)
  expect(files.filter(file => file.mayBeBehind)).toEqual(expected)
})
