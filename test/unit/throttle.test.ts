// Failed authentications: 20 in any minute per client, counted with a clock that the tests hold.
import { beforeEach, expect, test } from 'bun:test'
import { openThrottle, type Throttle } from '../../src/api/http/throttle.ts'

let now = 0
let throttle: Throttle

beforeEach(() => {
  now = 1_000_000
  throttle = openThrottle(() => now)
})

const fail = (client: string, times: number) => {
  for (let time = 0; time < times; time += 1) throttle.recordTry(client)
}

// A course of failures and of seconds that pass, and the seconds that the client must wait then.
test.each<[course: ('fail' | 'pass' | number)[], wait: number]>([
  [['fail', 19], 0],
  [['fail', 20], 60],
  [['fail', 10, 'pass', 30, 'fail', 10], 30],
  [['fail', 10, 'pass', 30, 'fail', 10, 'pass', 30], 0],
  [['fail', 10, 'pass', 30, 'fail', 10, 'pass', 30, 'fail', 10], 30],
  [['fail', 20, 'pass', 59.9995], 1],
  [['fail', 20, 'pass', 60], 0],
  [['fail', 20, 'pass', 60, 'fail', 20, 'pass', 0.1], 60],
])('after %j a client waits %d s, another one never', (course, wait) => {
  for (let at = 0; at < course.length; at += 2) {
    const amount = Number(course[at + 1])
    if (course[at] === 'fail') fail('a', amount)
    else now += amount * 1_000
  }
  expect([throttle.waitSeconds('a'), throttle.waitSeconds('b')]).toEqual([wait, 0])
})

test('the memory is bounded: of 10,000 other clients the last pushes the oldest out, if it failed no more', () => {
  fail('first', 19)
  fail('second', 20)
  for (let client = 0; client < 9_998; client += 1) throttle.recordTry(`flood ${client}`)
  fail('first', 1)
  throttle.recordTry('one more')
  expect([throttle.waitSeconds('first'), throttle.waitSeconds('second')]).toEqual([60, 0])
})
