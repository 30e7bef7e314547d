// The evaluation of the income rule: cases that must go and cases that must stay, by category. They are data next
// to the rule (src/redaction/income); ⟦ and ⟧ mark what may not be left of a case.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../../src/db/connect.ts'
import { wordsDir } from './income_words.ts'

type Cases = { go: string[]; stay: string[] }
type Kind = 'names' | 'texts' | 'documents'

/** A case as the rule is given it: a document, or a text by itself. */
export type Case = {
  category: string
  goes: boolean
  given: string
  type: 'jsonb' | 'text'
  secrets: string[]
}

const readCases = (kind: Kind): Record<string, Cases> =>
  JSON.parse(readFileSync(join(wordsDir, `${kind}.json`), 'utf8'))

const marks = /[⟦⟧]/g

/** The parts of an amount that say something: groups of digits, words. */
const partsOf = (amount: string): string[] =>
  amount.split(/[^\p{L}\p{N}]+/u).filter(part => part !== '' && !/^(und|bis|to|e|k)$/.test(part))

const isDocument = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

function caseOf(category: string, goes: boolean, marked: string): Case {
  const given = marked.replaceAll(marks, '')
  const secrets = [...marked.matchAll(/⟦(.*?)⟧/g)].flatMap(match => partsOf(match[1] ?? ''))
  if (goes !== secrets.length > 0) throw new Error(`${category}: ${marked} marks no amount`)
  return { category, goes, given, type: isDocument(given) ? 'jsonb' : 'text', secrets }
}

/** A name is a member of a document, with an amount as its value. */
const nameCase = (category: string, goes: boolean, name: string): Case => ({
  category,
  goes,
  given: JSON.stringify({ [name]: 31337 }),
  type: 'jsonb',
  secrets: goes ? ['31337'] : [],
})

export function evaluationCases(): Case[] {
  const named = Object.entries(readCases('names')).flatMap(([category, { go, stay }]) =>
    [go, stay].flatMap((lists, index) =>
      lists.flatMap(list =>
        list.split(' ').map(name => nameCase(`names: ${category}`, index === 0, name)),
      ),
    ),
  )
  const others = (['texts', 'documents'] as const).flatMap(kind =>
    Object.entries(readCases(kind)).flatMap(([category, { go, stay }]) => [
      ...go.map(text => caseOf(`${kind}: ${category}`, true, text)),
      ...stay.map(text => caseOf(`${kind}: ${category}`, false, text)),
    ]),
  )
  return [...named, ...others]
}

export type Judged = Case & { left: string; right: boolean }

/** 3 is left in "3,[entfernt]", and not in "13." */
const holds = (left: string, secret: string): boolean =>
  new RegExp(/^\p{N}+$/u.test(secret) ? `(?<!\\p{N})${secret}(?!\\p{N})` : secret, 'u').test(left)

/** A case that goes leaves nothing of its amount; a case that stays is what it was. */
const isRight = ({ goes, secrets }: Case, left: string, same: boolean): boolean =>
  goes ? !secrets.some(secret => holds(left, secret)) : same

export async function judgeCases(sql: Sql): Promise<Judged[]> {
  const cases = evaluationCases()
  const rows = await sql.unsafe(
    `select
      case when given ->> 'type' = 'jsonb' then redact_income((given ->> 'given')::jsonb)::text else redact_income(given ->> 'given') end as left,
      case when given ->> 'type' = 'jsonb' then redact_income((given ->> 'given')::jsonb) = (given ->> 'given')::jsonb
        else redact_income(given ->> 'given') = given ->> 'given' end as same
    from jsonb_array_elements($1::text::jsonb) with ordinality as list (given, place) order by place`,
    [JSON.stringify(cases)],
  )
  return cases.map((given, index) => {
    const left: string = rows[index]?.left ?? ''
    return { ...given, left, right: isRight(given, left, rows[index]?.same) }
  })
}

export type Score = {
  category: string
  go: number
  gone: number
  stay: number
  stayed: number
  recall: number
  precision: number
}

const scoreOf = (category: string, judged: Judged[]): Score => {
  const count = (goes: boolean, right?: boolean) =>
    judged.filter(one => one.goes === goes && (right === undefined || one.right === right)).length
  const [go, gone, stay, stayed] = [
    count(true),
    count(true, true),
    count(false),
    count(false, true),
  ]
  return {
    category,
    go,
    gone,
    stay,
    stayed,
    recall: gone / go,
    precision: gone / (gone + stay - stayed),
  }
}

/** One score for each category, and one for all. */
export function scoresOf(judged: Judged[]): Score[] {
  const categories = [...new Set(judged.map(({ category }) => category))]
  const each = categories.map(category =>
    scoreOf(
      category,
      judged.filter(one => one.category === category),
    ),
  )
  return [...each, scoreOf('all', judged)]
}
