// The evaluation of the income rule: cases that must go and cases that must stay, by category, and the exact answers to
// some. They are lines of the files in income_cases/: ⟦ and ⟧ mark what may not be left of a case, ⏎ is a line's end.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../src/db/connect.ts'

type Kind = 'names' | 'texts' | 'documents' | 'reports' | 'exact'
type Line = { category: string; line: string }

/** A case as the rule is given it: a document, or a text by itself. */
type Case = {
  category: string
  goes: boolean
  given: string
  type: 'jsonb' | 'text'
  secrets: string[]
}

function readLines(kind: Kind): Line[] {
  const text = readFileSync(join(import.meta.dir, `income_cases/${kind}.txt`), 'utf8')
  let category = ''
  return text.split('\n').flatMap(line => {
    if (line.startsWith('# ')) category = line.slice(2)
    return line === '' || line.startsWith('# ')
      ? []
      : [{ category, line: line.replaceAll('⏎', '\n') }]
  })
}

const marks = /[⟦⟧]/g

/** The parts of an amount that say something: groups of digits, words. */
function partsOf(amount: string): string[] {
  const parts = amount
    .split(/[^\p{L}\p{N}]+/u)
    .filter(part => part !== '' && !/^(und|bis|to|e|k)$/.test(part))
  const long = parts.filter(part => part.length > 1)
  return long.length > 0 ? long : parts
}

const typeOf = (text: string): 'jsonb' | 'text' => {
  try {
    return typeof JSON.parse(text) === 'object' ? 'jsonb' : 'text'
  } catch {
    return 'text'
  }
}

function caseOf(kind: Kind, { category, line }: Line): Case {
  const given = line.replaceAll(marks, '')
  const goes = category.endsWith(': go')
  const secrets = [...line.matchAll(/⟦(.*?)⟧/g)].flatMap(match => partsOf(match[1] ?? ''))
  if (goes !== secrets.length > 0) throw new Error(`${category}: ${line} marks no amount`)
  return {
    category: `${kind}: ${category.replace(/: (go|stay)$/, '')}`,
    goes,
    given,
    type: typeOf(given),
    secrets,
  }
}

/** A name is a member of a document, with an amount as its value. */
const namesOf = ({ category, line }: Line): Line[] =>
  line
    .split(' ')
    .map(name => JSON.stringify({ [name]: 31337 }))
    .map(given => ({
      category,
      line: category.endsWith(': go') ? given.replace('31337', '⟦31337⟧') : given,
    }))

export const evaluationCases = (): Case[] => [
  ...readLines('names')
    .flatMap(namesOf)
    .map(line => caseOf('names', line)),
  ...(['texts', 'documents', 'reports'] as const).flatMap(kind =>
    readLines(kind).map(line => caseOf(kind, line)),
  ),
]

type ExactCase = { given: string; cleaned: string; type: 'jsonb' | 'text' }

/** What is left of a case, to the letter. */
export function exactCases(): ExactCase[] {
  return readLines('exact').flatMap(({ category, line }) => {
    if (!category.startsWith('names')) {
      const [given = '', cleaned = given] = line.split(' ⇒ ')
      return { given, cleaned, type: category === 'texts' ? 'text' : 'jsonb' }
    }
    const names = JSON.parse(`[${line.replaceAll('" "', '","')}]`) as string[]
    return names.map(name => {
      const given = JSON.stringify({ [name]: 31337, b: [{ [name]: '31.337,77 €', c: 'x' }] })
      const cleaned = category.endsWith('go') ? '{"b":[{"c":"x"}]}' : given
      return { given, cleaned, type: 'jsonb' as const }
    })
  })
}

/** What the rule leaves, as text. */
export async function redactAll(
  sql: Sql,
  cases: { given: string; type: 'jsonb' | 'text' }[],
): Promise<string[]> {
  const rows = await sql.unsafe(
    `select case one ->> 'type' when 'jsonb' then redact_income((one ->> 'given')::jsonb)::text
       else redact_income(one ->> 'given') end as left
     from jsonb_array_elements($1::text::jsonb) with ordinality as list (one, place) order by place`,
    [JSON.stringify(cases.map(({ given, type }) => ({ given, type })))],
  )
  return rows.map(({ left }) => String(left))
}

type Judged = Case & { left: string; right: boolean }

/** 3 is left in "3,[entfernt]", and not in "13." */
const holds = (left: string, secret: string): boolean =>
  new RegExp(/^\p{N}+$/u.test(secret) ? `(?<!\\p{N})${secret}(?!\\p{N})` : secret, 'u').test(left)

export const isSame = (type: 'jsonb' | 'text', left: string, given: string): boolean =>
  type === 'text' ? left === given : Bun.deepEquals(JSON.parse(left), JSON.parse(given))

/** A case that goes leaves nothing of its amount; a case that stays is what it was. */
export const judge = (given: Case, left: string): Judged => {
  const right = given.goes
    ? !given.secrets.some(secret => holds(left, secret))
    : isSame(given.type, left, given.given)
  return { ...given, left, right }
}

const scoreOf = (category: string, judged: Judged[]) => {
  const [going, staying] = [true, false].map(goes => judged.filter(one => one.goes === goes))
  const count = (some: Judged[] = []) => some.filter(({ right }) => right).length
  return {
    category,
    recall: count(going) / (going?.length ?? 0),
    stay: staying?.length ?? 0,
    stayed: count(staying),
  }
}

/** What went of what must go, and what stayed of what must stay: for each category, and for all. */
export const scoresOf = (judged: Judged[]) => [
  ...[...Map.groupBy(judged, ({ category }) => category)].map(([category, some]) =>
    scoreOf(category, some),
  ),
  scoreOf('all', judged),
]
