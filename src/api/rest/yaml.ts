// JSON values as YAML: blocks for what holds something, JSON's own spelling for the rest, which is YAML too.

const plainKey = /^[A-Za-z_$/][\w$/.{}-]*$/

const keyOf = (key: string) => (plainKey.test(key) ? key : JSON.stringify(key))

const isEmpty = (value: object) => Object.keys(value).length === 0

function block(value: object, indent: string): string {
  if (Array.isArray(value))
    return value.map(entry => `${indent}- ${write(entry, `${indent}  `).trimStart()}`).join('\n')
  return Object.entries(value)
    .map(([key, inner]) => `${indent}${keyOf(key)}:${member(inner, indent)}`)
    .join('\n')
}

const isBlock = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isEmpty(value)

const member = (value: unknown, indent: string) =>
  isBlock(value) ? `\n${block(value, `${indent}  `)}` : ` ${JSON.stringify(value)}`

const write = (value: unknown, indent: string): string =>
  isBlock(value) ? block(value, indent) : `${indent}${JSON.stringify(value)}`

/** Of a value that JSON can hold. */
export const toYaml = (value: unknown): string =>
  `${write(JSON.parse(JSON.stringify(value)), '')}\n`
