// The bound on bytes of answers: what is granted at once, what waits, and what is refused.
import { expect, test } from 'bun:test'
import { AnswerBytes, type Holder } from '../../src/api/http/answer_bytes.ts'
import type { Database } from '../../src/db/database.ts'
import { ApiError } from '../../src/errors.ts'
import { AnswerTooLarge } from '../../src/lib/answer_size.ts'

const kb = 1024
const max = 1_000 * kb

/** Answers with so many bytes, or refuses as the database does. */
const reader = (bytes: number, bounds: (number | undefined)[] = []) => {
  const database = {
    async json(_name: string, _args: object, bytesMax?: number) {
      bounds.push(bytesMax)
      if (bytesMax !== undefined && bytes > bytesMax) throw new AnswerTooLarge(bytes)
      return { count: 1, json: Buffer.alloc(bytes) }
    },
  } as unknown as Database
  const run = async (reading: Database) => ({
    data: (await reading.json('getLead', { lead_id: '' })).json,
  })
  return { database, run }
}

const ask = (answers: AnswerBytes, bytes: number, options = {}) => {
  const bounds: (number | undefined)[] = []
  const holder: Holder = {}
  const { database, run } = reader(bytes, bounds)
  const answer = answers.read(holder, database, run, options)
  return { answer, bounds, holder }
}

test.each([
  // Bytes held before, bytes of the answer; with which bounds the database is asked.
  [0, 10, [512 * kb]],
  [0, 512, [512 * kb]],
  [0, 600, [512 * kb, undefined]],
  [0, 2_000, [512 * kb, undefined]],
  [600, 10, [64 * kb]],
  [600, 100, [64 * kb, undefined]],
  [990, 10, [64 * kb]],
])('while %d KB are held, an answer of %d KB', async (held, bytes, expected) => {
  const answers = new AnswerBytes(max, 1_000)
  answers.hold({}, held * kb)
  const { answer, bounds } = ask(answers, bytes * kb)
  expect((await answer).data.length).toBe(bytes * kb)
  expect(bounds).toEqual(expected)
})

test('a large one waits until what is held is taken, and is refused when that takes too long', async () => {
  const answers = new AnswerBytes(max, 50)
  const first = ask(answers, 900 * kb)
  await first.answer
  const refused = await ask(answers, 600 * kb).answer.catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ApiError)
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  const second = ask(answers, 600 * kb)
  answers.hold(first.holder, 0)
  expect((await second.answer).data.length).toBe(600 * kb)
})

test('nothing stays held of what failed, was given up or is small, and no more than is asked for', async () => {
  const answers = new AnswerBytes(max, 50)
  const { database } = reader(0)
  const fail = () => Promise.reject(new Error('away'))
  await expect(answers.read({}, database, fail)).rejects.toThrow('away')
  const { answer, holder } = ask(answers, 300 * kb)
  holder.isGivenUp = true
  await answer
  await ask(answers, 60 * kb).answer
  const most = await ask(answers, 600 * kb, { most: 512 * kb }).answer.catch(error => error)
  expect(most).toMatchObject({ code: 'invalid_request' })
  const all = ask(answers, 10, { wanted: max })
  await all.answer
  expect(all.bounds).toEqual([max])
})
