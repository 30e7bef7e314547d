// JSON that folds: members as rows, objects and arrays below a line that opens and closes them.
import type { Visit } from './context.ts'
import { type Html, html } from './html.ts'
import { copyable } from './parts.ts'

type Reader = Pick<Visit, 'texts'>

// Deeper ones open at a click.
const openDepth = 2

function scalar(value: unknown): Html {
  const kind = typeof value === 'string' ? 'text' : 'value'
  return html`<span class="${kind}">${typeof value === 'string' ? value : JSON.stringify(value)}</span>`
}

function node(name: string, value: unknown, depth: number): Html {
  const label = html`<span class="name">${name}</span>`
  if (typeof value !== 'object' || value === null)
    return html`<div>${label}: ${scalar(value)}</div>\n`
  const entries = Object.entries(value)
  if (entries.length === 0)
    return html`<div>${label}: ${Array.isArray(value) ? '[]' : '{}'}</div>\n`
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return html`<details${depth < openDepth && html` open`}><summary>${label} <span class="muted">${size}</span></summary>
<div class="entries">${entries.map(([key, inner]) => node(key, inner, depth + 1))}</div></details>`
}

/** The members of an object, and the whole as text to copy. */
export const jsonPart = (reader: Reader, value: object, label: string): Html =>
  html`<div class="card json mono">${Object.entries(value).map(([key, inner]) => node(key, inner, 1))}</div>
<details><summary>${reader.texts.asText}</summary>${copyable(reader, JSON.stringify(value, null, 2), label)}</details>`
