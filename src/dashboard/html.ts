// HTML as tagged templates: every text put into one is escaped. Nothing here or elsewhere lets a text in as it is.
import { html as template } from 'hono/html'

export type Html = { toString(): string; readonly isEscaped: true }

// The package's type also allows for promises inside; none are put in.
export const html = template as (strings: TemplateStringsArray, ...values: unknown[]) => Html
