// The last faults a process remembers: bounded, newest first, without a word of the message.
import { expect, test } from 'bun:test'
import { openLog } from '../../src/observability/log.ts'
import { recordRecentErrors } from '../../src/observability/recent_errors.ts'

test('the newest twenty are kept, with kind and place', () => {
  const log = openLog('silent')
  const { faults } = recordRecentErrors(log)
  log.fault('sequencer', new RangeError('erika@example.org'))
  for (let number = 1; number <= 30; number += 1)
    log.fault('request', new TypeError('erika@example.org'), `id ${number}`)
  log.fault('dashboard', Object.assign(new Error('erika@example.org'), { code: '57014' }))
  log.fault('request', 'thrown text')
  expect([faults.latest.length, faults.count]).toEqual([20, 33])
  const shown = faults.latest.map(({ where, kind, requestId }) =>
    [where, kind, requestId].join(' '),
  )
  expect(shown.slice(0, 3)).toEqual([
    'request string ',
    'dashboard 57014 ',
    'request TypeError id 30',
  ])
  expect(JSON.stringify(faults)).not.toContain('erika')
})
