// The last faults a process remembers: bounded, newest first, without a word of the message.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { recordRecentErrors } from '../../src/observability/recent_errors.ts'

test('the newest twenty are kept, with their kind and place', () => {
  const log = openLog('silent')
  const { faults } = recordRecentErrors(log)
  for (let number = 1; number <= 25; number += 1)
    log.fault('request', new TypeError('erika@example.org'), `id ${number}`)
  log.fault('dashboard', Object.assign(new Error('erika@example.org'), { code: '57014' }))
  log.fault('request', 'thrown text')
  expect([faults.latest.length, faults.count]).toEqual([20, 27])
  expect(faults.latest.map(({ kind }) => kind).slice(0, 3)).toEqual([
    'string',
    '57014',
    'TypeError',
  ])
  expect([faults.latest[2]?.requestId, faults.latest[19]?.requestId]).toEqual(['id 25', 'id 8'])
  expect(JSON.stringify(faults)).not.toContain('erika')
})
