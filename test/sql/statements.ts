// The statements of an SQL file, each with its name and its size: lines that are neither blank nor comments, and common
// table expressions.

type Statement = { name: string; lines: number; ctes: number }

// In the order in which they are looked for: what is inside one of them ends no statement.
const tokens = /--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|[eE]?'(?:[^'\\]|''|\\.)*'|"[^"]*"|;/g
const comment = /--[^\n]*|\/\*[\s\S]*?\*\//g

/** Texts between semicolons; the body of a function of the form "begin atomic … end" holds some of its own. */
function split(text: string): string[] {
  const statements: string[] = []
  let from = 0
  for (const { 0: token, index = 0 } of text.matchAll(tokens)) {
    if (token !== ';') continue
    const statement = text.slice(from, index)
    if (/\bbegin atomic\b(?![\s\S]*\nend$)/i.test(statement)) continue
    statements.push(statement)
    from = index + 1
  }
  return [...statements, text.slice(from)].filter(each => each.replace(comment, '').trim() !== '')
}

const cte =
  /(?:\bwith(?: recursive)?|,)\s+\w+(?:\s*\([^()]*\))?\s+as\s+(?:(?:not\s+)?materialized\s+)?\(\s*(?:\(\s*)*(?:select|insert|update|delete|with|values)\b/gi

const withoutStrings = (text: string) =>
  text.replace(tokens, token => (/^[eE]?'/.test(token) ? "''" : token)).replace(comment, '')

const ctesIn = (text: string) => [...withoutStrings(text).matchAll(cte)].length

/** A body in dollar quotes is counted statement by statement. */
function ctesOf(statement: string): number {
  const [, , body] = /(\$\w*\$)([\s\S]*)\1/.exec(statement) ?? []
  return body === undefined ? ctesIn(statement) : Math.max(...split(body).map(ctesIn), 0)
}

const nameOf = (statement: string) => {
  const words = statement.replace(comment, '').trim().replace(/\s+/g, ' ')
  const created = /^(?:create (?:or replace )?\w+|prepare|insert into) ([\w.]+)/i.exec(words)
  return created?.[1] ?? words.split(' ').slice(0, 3).join(' ')
}

export const statementsOf = (text: string): Statement[] =>
  split(text).map(statement => ({
    name: nameOf(statement),
    lines: statement
      .replace(comment, '')
      .split('\n')
      .filter(line => line.trim() !== '').length,
    ctes: ctesOf(statement),
  }))
