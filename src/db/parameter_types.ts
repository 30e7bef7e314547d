// How a value travels to PostgreSQL: the OID of each type a .sql file may name, and its text form.
// Without the OID `$1 is null` fails with 42P08; with it the server plans exactly the file's types.

const oids = {
  boolean: 16,
  bigint: 20,
  'bigint[]': 1016,
  integer: 23,
  'integer[]': 1007,
  text: 25,
  'text[]': 1009,
  timestamptz: 1184,
  'timestamptz[]': 1185,
  uuid: 2950,
  'uuid[]': 2951,
  jsonb: 3802,
} as const

export type ParameterType = keyof typeof oids
export type ParameterValue =
  | string
  | number
  | boolean
  | Date
  | readonly (string | number | Date | null)[]
  | object
  | null

export const parameterTypes = Object.keys(oids) as ParameterType[]

export const isParameterType = (name: string): name is ParameterType => Object.hasOwn(oids, name)

export const oidOf = (type: ParameterType): number => oids[type]

// Of columns alone.
const otherOids = {
  ...{ '"char"': 18, smallint: 21, json: 114, real: 700, 'double precision': 701, varchar: 1043 },
  ...{ date: 1082, timestamp: 1114, interval: 1186, numeric: 1700 },
}

/** As PostgreSQL calls a type. */
export const typeNameOf = (oid: number): string =>
  Object.entries({ ...oids, ...otherOids }).find(([, known]) => known === oid)?.[0] ?? `type ${oid}`

const isoOf = (text: string) => (text.endsWith('+00') ? `${text.replace(' ', 'T')}:00` : text)

const element = /"((?:\\.|[^"\\])*)"|([^{},]+)/g

const arrayOf = (text: string) =>
  [...text.matchAll(element)].map(([, quoted, plain]) =>
    plain === undefined ? quoted?.replace(/\\(.)/g, '$1') : plain === 'NULL' ? null : plain,
  )

const parsers: Record<number, (text: string) => unknown> = {
  114: JSON.parse,
  1009: arrayOf,
  1184: isoOf,
  1700: Number,
  2951: arrayOf,
  3802: JSON.parse,
}

/** How a column of the type becomes a value as JSON has it; undefined: the driver does it. */
export const parserOf = (oid: number) => parsers[oid]

/** The text form of a value; the server reads it as the parameter's type. */
export function encodeParameter(type: ParameterType, value: ParameterValue): string | null {
  if (value === null) return null
  if (type === 'jsonb') return JSON.stringify(value)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(elementLiteral).join(',')}}`
  return String(value)
}

function elementLiteral(value: string | number | Date | null): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`
  return value instanceof Date ? `"${value.toISOString()}"` : String(value)
}
