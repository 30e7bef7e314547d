// Every parser of bytes from outside for a moment of chance.
// FUZZ_SEED repeats a course; a failure names the seed of its input.
import { expect, test } from 'bun:test'
import { allowedTargets, onDeno, useService } from '../support/http/service.ts'
import { attacks } from './attacks.ts'
import { runTarget } from './fuzz_course.ts'
import { faultOf, fuzzedRequest } from './fuzz_requests.ts'
import { runStatement, statements } from './fuzz_statements.ts'
import { targets } from './fuzz_targets.ts'

const first = Number(process.env.FUZZ_SEED ?? 1)
const inputs = 200
const statementInputs = 300
const requests = 400
const requestMsMax = 5_000

const attack = attacks('fuzz', inputs * targets.length)
const api = useService({ ...allowedTargets, HOOKS_MAX: '10000' })

for (const target of targets)
  test(`no input breaks a promise of the parser: ${target.name} (FUZZ_SEED=${first})`, async () => {
    await runTarget(target, first, { inputs })
    attack.held(inputs)
  }, 60_000)

// Always the same course: an input takes long.
for (const statement of statements)
  test(`no input breaks a promise of PostgreSQL: ${statement.name}`, async () => {
    await runStatement(api.sql, statement, 1, statementInputs)
    attack.held(statementInputs)
  }, 30_000)

// What fetch refuses to send, and what Deno's server refuses before we see it, is no answer of ours.
test.skipIf(onDeno)(
  `no request gets a 500 or an answer without its headers (FUZZ_SEED=${first})`,
  async () => {
    for (let seed = first; seed < first + requests; seed += 1) {
      const { path, init } = fuzzedRequest(seed, api.key)
      const startedAt = performance.now()
      const response = await fetch(api.service.url + path, init)
      const fault = await faultOf(response, init.method === 'HEAD')
      expect({ seed, path, fault }).toEqual({ seed, path, fault: undefined })
      expect(performance.now() - startedAt).toBeLessThan(requestMsMax)
      attack.held()
    }
  },
  60_000,
)

test('the check itself notices a broken promise, and says which input did it', async () => {
  const broken = {
    name: 'broken',
    input: () => 'given',
    check() {
      throw new Error('never true')
    },
  }
  await expect(runTarget(broken, 7, { inputs: 1 })).rejects.toThrow(
    '{"target":"broken","seed":7,"input":"given","broken":"never true"}',
  )
})
