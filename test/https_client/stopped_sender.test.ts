// What a receiver did in time is not lost because the sending process stood still: stopped by a signal, or with its machine.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { useReceiver } from '../support/receiver/receiver.ts'

const receiver = useReceiver()
const totalMs = 1_500

test.each([1, 2])('stopped for %d times the limit: the response counts', async times => {
  const path = `/ok/${times}`
  await receiver.hold(path)
  const program = join(import.meta.dir, 'stopped_sender.ts')
  const args = [receiver.origin, receiver.ca, path, `${totalMs}`]
  const sender = Bun.spawn(['bun', program, ...args], { stdout: 'pipe', stderr: 'inherit' })
  try {
    await receiver.waitFor(requests => requests.some(request => request.path === path))
    sender.kill('SIGSTOP')
    await receiver.release(path)
    await Bun.sleep(times * totalMs)
  } finally {
    sender.kill('SIGCONT')
  }
  expect(await new Response(sender.stdout).text()).toBe('200\n200\n')
})
