// Makes the part of the income rule that comes from the published schemas: which paths are known, and
// which of them carry raw income. The schemas say it once, in x-redacted; the rule reads it from there.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ResultEntry } from '../../../src/model/meeting.ts'

export const incomeSchemaPath = join(import.meta.dir, '../../../sql/functions/income/schema.sql')
const schemaDir = join(import.meta.dir, '../../../src/model/analysis_schema')

// biome-ignore lint/suspicious/noExplicitAny: a JSON Schema has every shape
type Schema = Record<string, any>

/** A member's class (n number, s text, b boolean, x raw income), or its own members. */
export type Tree = string | { [member: string]: Tree }

export type Published = { extraktion: Schema; dinCheck: Schema; flach: Schema }

const readSchema = (name: string): Schema =>
  JSON.parse(readFileSync(join(schemaDir, `${name}.json`), 'utf8'))

export const published = (): Published => ({
  extraktion: readSchema('extraktion'),
  dinCheck: readSchema('din_check'),
  flach: readSchema('flach'),
})

const classes: [types: string[], name: string][] = [
  [['number', 'integer'], 'n'],
  [['string', 'date', 'date-time'], 's'],
  [['boolean'], 'b'],
]

const classOf = (types: string[]): string =>
  classes.find(([names]) => names.some(name => types.includes(name)))?.[1] ?? 's'

/** Members of both; what is raw income in one of them is. */
function merge(one: Tree | undefined, other: Tree): Tree {
  if (one === undefined) return other
  if (one === 'x' || other === 'x') return 'x'
  if (typeof one === 'string') return typeof other === 'string' ? one : other
  if (typeof other === 'string') return one
  const merged = { ...one }
  for (const [name, tree] of Object.entries(other)) merged[name] = merge(merged[name], tree)
  return merged
}

/** An array is its elements: an index is no part of a path. */
function treeOf(schema: Schema, resolve: (ref: string) => Schema): Tree {
  if (schema['x-redacted'] === true) return 'x'
  if (schema.$ref) return treeOf(resolve(schema.$ref), resolve)
  const forms: Schema[] = schema.oneOf ?? schema.anyOf ?? []
  const parts = forms.map(form => treeOf(form, resolve))
  if (schema.items) parts.push(treeOf(schema.items, resolve))
  if (schema.properties) {
    const members = Object.entries<Schema>(schema.properties)
    parts.push(Object.fromEntries(members.map(([name, part]) => [name, treeOf(part, resolve)])))
  }
  const tree = parts.reduce<Tree | undefined>(merge, undefined)
  return tree ?? classOf([schema.type].flat())
}

/**
 * Everything the documents of the workspace can begin with: an analysis, its DIN check by itself, a household,
 * the flat projection, an event's payload around an analysis, a meeting's result entries.
 */
export function incomeTree({ extraktion, dinCheck, flach }: Published): Tree {
  const resolve = (ref: string): Schema =>
    ref === dinCheck.$id ? dinCheck : extraktion.$defs[ref.replace('#/$defs/', '')]
  const core = treeOf(extraktion, resolve) as Record<string, Tree>
  const columns = flach.columns.map(({ key, type }: { key: string; type: string }) => [
    key,
    classOf([type]),
  ])
  return [
    core,
    treeOf(dinCheck, resolve),
    core.haushalt as Tree,
    Object.fromEntries(columns),
    { analysis: core },
    treeOf(ResultEntry, resolve),
    { results: treeOf(ResultEntry, resolve) },
  ].reduce<Tree>(merge, {})
}

/** Names of the members of one class, at any depth. */
export function namesOf(tree: Tree, wanted: (name: string) => boolean): string[] {
  if (typeof tree === 'string') return []
  return Object.entries(tree).flatMap(([name, part]) =>
    typeof part === 'string' ? (wanted(part) ? [name] : []) : namesOf(part, wanted),
  )
}

/** The flagged fields, by name; not one that another path uses for something harmless. */
function flaggedNames({ extraktion, dinCheck, flach }: Published): string[] {
  const flagged = new Set<string>()
  const collect = (schema: unknown, inside: boolean): void => {
    if (schema === null || typeof schema !== 'object') return
    for (const [name, part] of Object.entries((schema as Schema).properties ?? {})) {
      const raw = inside || (part as Schema)['x-redacted'] === true
      if ((part as Schema)['x-redacted'] === true) flagged.add(name)
      collect(part, raw)
    }
    for (const part of Object.values(schema as Schema)) collect(part, inside)
  }
  collect(extraktion, false)
  const harmless = new Set(
    namesOf(incomeTree({ extraktion, dinCheck, flach }), name => name !== 'x'),
  )
  return [...flagged].filter(name => !harmless.has(name)).sort()
}

/** Flags that say whether there is an income, and enumerated values: as they stand in a document's text. */
function harmlessTexts({ extraktion, dinCheck, flach }: Published): string[] {
  const tree = incomeTree({ extraktion, dinCheck, flach })
  const values = (schema: unknown): string[] =>
    schema === null || typeof schema !== 'object'
      ? []
      : [...((schema as Schema).enum ?? []), ...Object.values(schema).flatMap(values)]
  const flags = namesOf(tree, name => name === 'b').map(name => `"${name}": (true|false|null)`)
  const words = [...values(extraktion), ...values(dinCheck)]
    .filter(value => typeof value === 'string')
    .map(value => `": "${value}"`)
  const hinting = /einkommen|gehalt|netto|brutto|lohn|rente|sold|unterhalt|pension|gewinn/
  return [...new Set([...flags, ...words])].filter(text => hinting.test(text)).sort()
}

/** Of each name the longest part: it is there however the parts are joined. */
const signsOf = (names: string[]) =>
  names.map(name =>
    name.split('_').reduce((one, other) => (other.length > one.length ? other : one)),
  )

/** Words of income that are looked for in any case, so that a name with one of them need not be. */
const lookedFor = /einkom|einku|einna|netto|brutto|tentn|t_entn|rente_?bez/

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const begin = '-- Generated by `bun run income` from src/model/analysis_schema'
const end = '-- End of what is generated.\n'

export function generatedPart(schemas: Published): string {
  const spelled = (names: string[]) =>
    literal(names.map(name => name.replaceAll('_', '[-_ .]?')).join('|') || '(?!)')
  const names = flaggedNames(schemas)
  const others = names.filter(name => !lookedFor.test(name))
  return `${begin}; do not edit up to the next mark.
create or replace function income_schema() returns jsonb
  language sql immutable parallel safe
  return ${literal(JSON.stringify(incomeTree(schemas)))}::jsonb;
create or replace function income_schema_names() returns text
  language sql immutable parallel safe
  return ${spelled(names)};
create or replace function income_schema_look() returns text
  language sql immutable parallel safe
  return ${spelled(others)};
create or replace function income_schema_signs() returns text[]
  language sql immutable parallel safe
  return ${literal(`{${signsOf(others).join(',')}}`)}::text[];
create or replace function income_schema_harmless() returns text
  language sql immutable parallel safe
  return ${literal(harmlessTexts(schemas).join('|') || '(?!)')};
${end}`
}

/** The file's text with its generated part made anew. */
export function withGeneratedPart(text: string, schemas: Published = published()): string {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error('the file has lost its marks')
  return text.slice(0, from) + generatedPart(schemas) + text.slice(to + end.length)
}
