// What state a webhook is in, why, and what mends it: one table.
import { expect, test } from 'bun:test'
import { failureReason, healthOf, needsOwner, type Reported } from '../../src/model/hook_health.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const ago = (seconds: number) => new Date(now - seconds * 1_000).toISOString()

const well: Reported = {
  active: true,
  pause_reason: null,
  paused_at: null,
  consecutive_failures: 0,
  failing_since: null,
  waiting: 0,
  failed: 0,
  behind: 0,
  behind_since: null,
  missed_to: null,
  delivered_at: ago(60),
  status: 200,
  error_class: null,
}
const refused = { status: 401, error_class: 'status' }
const unknown = { status: null, error_class: 'dns' }
const failing = { consecutive_failures: 3, failing_since: ago(600), failed: 3 }
const paused = { ...failing, active: false, paused_at: ago(300), consecutive_failures: 10 }

type Expected = [state: string, reason: string | null, next: string | null, needs: boolean]
const cases: [string, Partial<Reported>, Expected][] = [
  ['all arrives', {}, ['well', null, null, false]],
  ['nothing was sent yet', { delivered_at: null, status: null }, ['new', null, null, false]],
  ['refused, still on', { ...failing, ...refused }, ['failing', 'unauthorized', 'receiver', true]],
  ['no such host, still on', { ...failing, ...unknown }, ['failing', 'dns', 'address', true]],
  [
    'paused after failures',
    { ...paused, ...refused },
    ['paused', 'unauthorized', 'receiver', true],
  ],
  ['paused, the address is gone', { ...paused, ...unknown }, ['paused', 'dns', 'address', true]],
  [
    'paused by the owner',
    { ...paused, pause_reason: '' },
    ['pausedByOwner', null, 'reactivate', false],
  ],
  [
    'the last attempt is tried again',
    { waiting: 1, status: 500, error_class: 'status' },
    ['retrying', 'server_error', 'wait', false],
  ],
  ['one waits, but the last arrived', { waiting: 1 }, ['well', null, null, false]],
  // What failed before the owner switched it on again is no reason.
  [
    'events wait for long',
    { behind: 4, behind_since: ago(90), ...refused },
    ['behind', null, 'wait', false],
  ],
  ['events were made just now', { behind: 4, behind_since: ago(2) }, ['well', null, null, false]],
  ['repaired, but some failed', { failed: 2 }, ['incomplete', null, 'send_again', true]],
  ['some expired', { missed_to: 7 }, ['incomplete', null, null, true]],
]

test.each(cases)('%s', (_, changed, [state, reason, next, needs]) => {
  const health = healthOf({ ...well, ...changed }, now)
  expect<unknown[]>([health.state, health.reason, health.next, needsOwner(health)]).toEqual([
    state,
    reason,
    next,
    needs,
  ])
})

test('what was made in the last seconds is on its way, and not missing', () => {
  const missing = (seconds: number, active: boolean) =>
    healthOf({ ...well, active, behind: 4, behind_since: ago(seconds) }, now).missing
  expect([missing(12, true), missing(30, true), missing(2, false)]).toEqual([0, 4, 4])
})

const statuses: [number, string][] = [
  [302, 'redirect'],
  [400, 'rejected'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [404, 'not_found'],
  [410, 'gone'],
  [429, 'overloaded'],
  [503, 'server_error'],
]
test.each(statuses)('%d is %s', (status, reason) => {
  expect(failureReason(status, 'status')).toBe(reason as never)
})
